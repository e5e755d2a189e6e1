/* Sorts of elements of 8 bytes, short and long ones, and the smallest of many keys, which all threads look for. */
#ifndef RL_ORDER_H
#define RL_ORDER_H
#include <stdint.h>

enum { RL_ORDER_I64, RL_ORDER_U64, RL_ORDER_F64, RL_ORDER_NO_MEMORY = -4 };

/* Whether rl_order looks for the first `count` in order of `rows` rows of n elements without sorting whole long rows:
 * of short rows, or few of many. 0: for all of rows of keys that differ, which a library sorts sooner. */
int rl_order_serves(int64_t rows, int64_t n, int64_t count);

/* Whether rl_order sorts rows of n elements. */
int rl_sort_serves(int64_t n);

/* The first `count` elements in order of each of `rows` rows of n elements, 1 <= n: element i of row o * inner + k is
 * x[(o * n + i) * inner + k]. Equal elements keep their order; NaN is the largest. values and at (the indices in the
 * row) have `count` in place of n; either may be NULL. Returns 0, or RL_ORDER_NO_MEMORY. */
int64_t rl_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
                 void *values, int64_t *at);

/* Whether rl_least looks for `count` of n keys. */
int rl_least_serves(int64_t n, int64_t count);

/* The `count` smallest keys of each row, in order; the layout of rows is that of rl_order, with `outer` times `inner`
 * rows. No key is INT64_MAX, and the keys of a row are distinct. */
void rl_least(int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t *x, int64_t *least);

/* Sort n keys whose low 32 bits are their indices by counting, if their high parts have a narrow range: 0, or 1 where a
 * library must do it. */
int rl_order_by_counting(int64_t n, const int64_t *x, int64_t *to);

#endif
