/* Arithmetic on sizes, and what makes a function part of its callers. */
#ifndef RL_INTEGERS_H
#define RL_INTEGERS_H
#include <stdint.h>
#define ALWAYS_INLINE static inline __attribute__((always_inline))

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

#endif
