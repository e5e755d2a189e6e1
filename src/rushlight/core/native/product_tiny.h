/* Many products of tiny matrices. */
#ifndef RL_PRODUCT_TINY_H
#define RL_PRODUCT_TINY_H
#include "product.h"

/* Many products whose sizes are at most RL_TINY, with lanes along the batch, or one of many rows by such a matrix in a
 * dtype that is multiplied in words of four bytes: dtype, sizes and batch decide. `pairs`: see product_pairs.h. */
enum { RL_TINY = 8 };
int rl_product_is_tiny(const rl_product *p, int pairs);
int rl_product_run_tiny(const rl_product *p, int pairs, int parallel);

/* The kernels that pack sums, in float32 or float64, as results of a dtype, and as they are; NULL if there is none. */
rl_panel_fn rl_product_narrowing(int dtype);
rl_panel_fn rl_product_turning(int dtype);

#endif
