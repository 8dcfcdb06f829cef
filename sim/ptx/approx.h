/*
 * The transcendental functions of PTX, sin.approx and its like, computed in double by polynomials
 * of our own and rounded to float once: the same bits on every machine and from every compiler,
 * within one unit in the last place of the true value (hardware is allowed more). Internal to
 * sim/ptx.
 */
#ifndef PTX_APPROX_H
#define PTX_APPROX_H

float ptx_sin(float x);
float ptx_cos(float x);
float ptx_ex2(float x);
float ptx_lg2(float x);
float ptx_tanh(float x);

#endif
