// RIDGELINE_ASSERT(condition): stops with file and line when we have a bug. User input never
// reaches it.
#pragma once

#include <cstdio>
#include <cstdlib>

#define RIDGELINE_ASSERT(condition)                                                        \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: internal error: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
