/* Traces: the calls of native parts that a plan makes for fixed sizes, recorded so that they can be made again without
 * Python (runtime.c). *
 * A trace is a sequence of words of 64 bits. Each record begins with its kind; numbers and strides are stored as they
 * were passed, an address as the number of a block of memory and an offset in bytes, a kernel as its number. A thread
 * that traces does not make the calls that it records: only sizes decide which they are. */
#ifndef RL_TRACE_H
#define RL_TRACE_H
#include <stddef.h>
#include <stdint.h>

#include "attention.h"
#include "pool.h"
#include "product.h"
#include "trace_run.h"

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct rl_trace rl_trace;

/* The trace that this thread writes, or NULL. */
extern _Thread_local rl_trace *rl_tracing;

/* Begin to trace; whether there was memory. The end frees it. */
int rl_trace_begin(void);
void rl_trace_end(void);

/* Add a block of memory, which addresses may be in from now on, and remove one. */
void rl_trace_block(const void *p, size_t bytes);
void rl_trace_drop(const void *p);

/* Why the trace is invalid; NULL if it is valid. */
const char *rl_trace_failure(void);

/* The words recorded so far, and their number. */
const int64_t *rl_trace_words(int64_t *n);

/* The number of blocks; the bytes of one, and the first and the last record that touch it (-1: none). */
int64_t rl_trace_blocks(void);
void rl_trace_block_at(int64_t k, int64_t *bytes, int64_t *first, int64_t *last);

/* The block that an address is in, and the offset in bytes; it counts as touched by all later records. Returns whether
 * there is such a block. */
int rl_trace_place(const void *p, int64_t *block, int64_t *offset);

/* Record a launch: `n` operands at ptrs, which begin in blocks at `bases` (0: the address is a number). The address of
 * the error record, which a kernel gets behind them, is not recorded. */
int64_t rl_trace_launch(rl_kernel k, int n, void *const *ptrs, const uintptr_t *bases, int n_params,
                        const int64_t *params, int64_t items, double cost_ns_per_item);

/* Set where the operands of the next epilogue begin. */
void rl_trace_bases(int n, const uintptr_t *bases);

/* Record a product by our kernels (`ours`), or by rl_multiply. Returns what these would: -1 if rl_multiply does not
 * accept it. */
int rl_trace_product(const rl_product *p, int ours);
int rl_trace_conv(int mode, int dtype, int nd, int64_t N, int64_t Cin, int64_t Cout, int64_t groups,
                  const int64_t *in_sp, const int64_t *out_sp, const int64_t *k_sp, const int64_t *stride,
                  const int64_t *pad, const int64_t *dil, void *x, void *w, void *y, const rl_epilogue *then);
int rl_trace_attention(const rl_attention *p);
void rl_trace_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
                    const void *values, const int64_t *at);
void rl_trace_least(int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t *x, const int64_t *least);

#endif
