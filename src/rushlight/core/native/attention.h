/* Attention in blocks of queries by blocks of keys, with a running softmax (docs/design/products.md).
 *
 * Source: Dao, Fu, Ermon, Rudra and Re, "FlashAttention: fast and memory-efficient exact attention with IO-awareness",
 * 2022; Dao, "FlashAttention-2", 2023 (the order of the loops). */
#ifndef RL_ATTENTION_H
#define RL_ATTENTION_H
#include <stdint.h>

/* What the kernels of rows take (compiler/products/softmax.py): scores s (rows, n), of which row i uses the first limit
 * + i columns. Strides in bytes. */
typedef struct {
    char *s;
    int64_t s_row, rows, n, limit;
    const char *mask;
    int64_t mask_row;
    const void *scale;
    /* the softmax: the running maximum and sum of each row; the gradient: log-sum-exp, and sum of gradient * output */
    void *most, *sum;
    /* the softmax: the results so far, which are scaled when the maximum grows; the gradient: that of the weights
     * (rows, n) */
    char *y;
    int64_t y_row, width;
} rl_rows;

/* The arguments of the kernel that finishes rows: to (rows, width) = y / sum, lse = most + log(sum). */
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
/* The operands by number: those of the forward are up to LSE, with its results from OUT on; those of the backward are
 * all, with its results from DQ on. The mask may be missing. */
enum {
    RL_QUERY, RL_KEY, RL_VALUE, RL_MASK, RL_OUT, RL_LSE, /* */
    RL_GRAD = RL_OUT, RL_DELTA = RL_LSE + 1, RL_DQ, RL_DK, RL_DV, RL_ATTENTION_OPERANDS
};

/* A batch of matrices of any strides, in bytes (for one of vectors the last stride is not used). */
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

/* Set the kernels for a dtype and a kind of mask. */
void rl_attention_use(int dtype, int backward, int mask, rl_rows_fn rows, rl_finish_fn finish);
/* Whether there are kernels; the dtype must have kernels for products, too (product.h). */
int rl_attention_ready(const rl_attention *p);

/* Returns 0 or RL_NO_MEMORY. */
int rl_attention_run(const rl_attention *p);

#endif
