/* libstdc++ writes __noinline__ as an attribute's name: CUDA's macro of that name must be away. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
