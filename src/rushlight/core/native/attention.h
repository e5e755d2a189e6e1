/* Attention in blocks of queries by blocks of keys, with a running softmax (docs/design/products.md).
 *
 * Source: Dao, Fu, Ermon, Rudra and Re, "FlashAttention: fast and memory-efficient exact attention with IO-awareness",
 * 2022; Dao, "FlashAttention-2", 2023 (the order of the loops). */
#ifndef RL_ATTENTION_H
#define RL_ATTENTION_H
#include <stdint.h>

/* What the kernels of rows take (compiler/products/softmax.py): scores s (rows, n), of which row i sees the first
 * limit + i columns. Strides in bytes. */
typedef struct {
    char *s;
    int64_t s_row, rows, n, limit;
    const char *mask;
    int64_t mask_row;
    const void *scale;
    /* the softmax: the running maximum and sum of each row; the gradient: log-sum-exp, and sum of gradient * output */
    void *most, *sum;
    /* the softmax: results so far, to be scaled where the maximum grows; the gradient: that of the weights (rows, n) */
    char *y;
    int64_t y_row, width;
} rl_rows;

/* What the kernel that finishes rows takes: to (rows, width) = y / sum, lse = most + log(sum). */
typedef struct {
    const char *y;
    int64_t y_row, rows, width;
    const void *most, *sum;
    void *lse;
    char *to;
    int64_t to_row;
} rl_finish;

typedef void (*rl_rows_fn)(const rl_rows *);
typedef void (*rl_finish_fn)(const rl_finish *);

enum { RL_ATTENTION_DIMS = 62 };
/* The operands by their place: the forward's up to LSE, its results from OUT on; the backward's, its results from DQ
 * on. The mask may be missing. */
enum {
    RL_QUERY, RL_KEY, RL_VALUE, RL_MASK, RL_OUT, RL_LSE, /* */
    RL_GRAD = RL_OUT, RL_DELTA = RL_LSE + 1, RL_DQ, RL_DK, RL_DV, RL_ATTENTION_OPERANDS
};

/* A batch of matrices (the last stride unused where they are rows): strides in bytes, any. */
typedef struct {
    char *data;
    int64_t row, column, step[RL_ATTENTION_DIMS];
} rl_matrices;

enum { RL_NO_MASK, RL_BOOLS, RL_NUMBERS, RL_SUMS, RL_MASKS };

/* dtype: by its number in blas.h; log-sum-exp, `delta` and the scale are in the dtype that products are summed in.
 * Query (m, e), key (n, e), value (n, v), mask (m, n): bools, numbers of the
 * dtype, or of that in which products are summed. */
typedef struct {
    int dtype, backward, causal, mask, nd;
    int64_t size[RL_ATTENTION_DIMS], m, n, e, v;
    const void *scale;
    rl_matrices of[RL_ATTENTION_OPERANDS];
} rl_attention;

/* Use these kernels for a dtype and a kind of mask from now on. */
void rl_attention_use(int dtype, int backward, int mask, rl_rows_fn rows, rl_finish_fn finish);
/* Whether there are kernels; there must be those of products for the dtype too (product.h). */
int rl_attention_ready(const rl_attention *p);

/* Returns 0 or RL_NO_MEMORY. */
int rl_attention_run(const rl_attention *p);

#endif
