/* Traces (trace.h) that are run again. */
#ifndef RL_TRACE_RUN_H
#define RL_TRACE_RUN_H
#include <stdint.h>

#include "pool.h"

/* The words, the addresses of the blocks, and the kernels by their numbers, which count from 1. */
typedef struct {
    const int64_t *words;
    int64_t n, n_blocks, n_kernels;
    char *const *blocks;
    const rl_kernel *kernels;
} rl_trace_run_args;

enum {
    RL_TRACE_DONE = 0,
    RL_TRACE_BAD = -1,     /* the words are no trace */
    RL_TRACE_NO_BLAS = -2, /* OpenBLAS is needed, but not open */
    RL_TRACE_KERNEL = -3,  /* a kernel has filled the error record */
    RL_TRACE_NO_MEMORY = -4
};

/* Make the recorded calls; `err` is the error record of kernels (compiler/plan.py, Launch). Any number of
 * threads may run one trace, each on blocks of its own. */
int rl_trace_run(const rl_trace_run_args *args, int64_t err[4]);

/* The version that a trace, and the kernels that it runs, must share with this library: a digest of its sources. */
extern const char rl_conventions[];

#endif
