/* All of libwarptrace: containers, static programs, thread traces, access streams. */
#ifndef WARPTRACE_H
#define WARPTRACE_H

#include "access.h"
#include "err.h"
#include "program.h"
#include "stream.h"
#include "trace.h"

#endif
