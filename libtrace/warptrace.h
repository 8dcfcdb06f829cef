/* All of libwarptrace: containers, static programs, thread traces. */
#ifndef WARPTRACE_H
#define WARPTRACE_H

#include "err.h"
#include "program.h"
#include "stream.h"
#include "trace.h"

#endif
