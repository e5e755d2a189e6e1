/* Products whose batch has several dimensions. */
#ifndef RL_PRODUCT_BATCHES_H
#define RL_PRODUCT_BATCHES_H
#include "product.h"

/* A product for each place of a row-major array of `nd` sizes: operand i (A, B, C) begins stride[i][d] elements of
 * item[i] bytes further for each step along dimension d. `multiply` makes one of them, on all threads unless it is
 * called from within a task. */
typedef struct {
    rl_product first;
    int (*multiply)(const rl_product *);
    int64_t nd, item[3];
    const int64_t *size, *stride[3];
} rl_products;

/* Make them all; if `shares`, threads get whole products where these are small. Returns the first code of
 * `multiply` that is not 0. */
int rl_multiply_all(const rl_products *all, int shares);

#endif
