/*
 * Scripts of launches: what a host program does between kernels, for kernels that come without one.
 * A command a line, from # on a remark:
 *   buffer NAME=buf:BYTES[:FILL] | NAME=file:PATH | NAME=ref:PARTS
 *   symbol NAME=CONTENTS                a .const or .global variable of the module
 *   write @NAME[+OFFSET] CONTENTS       the host writes into a buffer
 *   copy @TO[+OFFSET] @FROM[+OFFSET] BYTES
 *   launch ENTRY GRID BLOCK [shared=BYTES] ARGUMENT...
 *   dump NAME FILE                      what the buffer holds at this moment
 *   let VARIABLE EXPRESSION
 *   while EXPRESSION ... end
 *   if EXPRESSION ... end
 * An expression has integers, variables, NAME[N] for the buffer's 32-bit word N as the host reads
 * it back, + - * / %, comparisons (1 or 0) and parentheses. Elsewhere $VARIABLE and $(EXPRESSION)
 * stand for its value. arguments.h has the rest.
 */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include "tools/launches.h"

struct script;

/* Reads it, and checks what can be checked before it runs. */
struct script *script_read(const char *path);
/*
 * Runs it: 1 or TR_E*. What it cannot do ends the program with file and line, which then also begin
 * the sentence of an error that is returned.
 */
int script_run(struct script *s, struct kernels *k, struct tr_err *err);
void script_free(struct script *s);

#endif
