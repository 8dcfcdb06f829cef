/* A name that clang includes; nothing of it is wanted. */
