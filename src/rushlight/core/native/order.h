/* Short sorts, for which calling a library costs more than sorting, and the least of many keys, which all threads look
 * for. */
#ifndef RL_ORDER_H
#define RL_ORDER_H
#include <stdint.h>

enum { RL_ORDER_I64, RL_ORDER_U64, RL_ORDER_F64 };

/* Whether rl_order sorts `rows` rows of n elements; longer ones are left to a library. */
int rl_order_serves(int64_t rows, int64_t n);

/* The first `count` elements in order of each of `rows` rows of n elements, 1 <= n: element i of row o * inner + k is
 * x[(o * n + i) * inner + k]. Equal elements keep their order; NaN is the greatest. values and at (the places in the
 * row) have `count` for n; either may be NULL. */
void rl_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
              void *values, int64_t *at);

/* Whether rl_least looks for `count` of n keys. */
int rl_least_serves(int64_t n, int64_t count);

/* The `count` least keys of each row, in order; rows lie as in rl_order, `outer` times `inner` of them. No key is
 * INT64_MAX, and those of a row differ. */
void rl_least(int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t *x, int64_t *least);

#endif
