/* Products of real numbers, and of complex ones as products of their parts (`pairs`, product_pairs.c). */
#ifndef RL_PRODUCT_PAIRS_H
#define RL_PRODUCT_PAIRS_H
#include "product.h"

/* Whether a product of complex numbers is made so: that takes kernels for their parts, and contiguous rows or columns
 * of C. */
int rl_product_takes_pairs(const rl_product *p);

/* rl_product_pays_then and rl_product_run for numbers of float32 or float64, or for the parts of such pairs. */
int rl_product_parts_pay_then(const rl_product *p, int pairs);
int rl_product_run_parts(const rl_product *p, int pairs, int parallel);
/* The same for one product with long sums: by blocks of K in parallel. */
int rl_product_in_parts(const rl_product *p, int pairs);

#endif
