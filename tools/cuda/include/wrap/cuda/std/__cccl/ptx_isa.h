/*
 * Which PTX may stand in asm, by which libcu++ declares its functions of cuda::ptx. It takes that from
 * the number of a clang, but a text of asm is PTX's as it is, of whatever release: the machine says
 * what it does not know. Where functions lack they lack for all architectures, and CUB 3 does not
 * compile.
 */
#include_next <cuda/std/__cccl/ptx_isa.h>
#undef __cccl_ptx_isa
#define __cccl_ptx_isa 800ULL
