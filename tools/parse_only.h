/* trace-gen --parse-only: which kernels of PTX files the machine takes, and why not. */
#ifndef TOOLS_PARSE_ONLY_H
#define TOOLS_PARSE_ONLY_H

#include "tools/columns.h"

extern const struct column_table parse_only_table;

/* A row a kernel. EXIT_OK, or EXIT_BAD where one is refused. */
int parse_only(char *const *files, const struct common *common);

#endif
