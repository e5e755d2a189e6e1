/* How a product is turned and cut (product_cuts.c); for product.c. */
#ifndef RL_PRODUCT_CUTS_H
#define RL_PRODUCT_CUTS_H
#include "product.h"

int rl_is_better_turned(const rl_product *p);
int rl_is_better_turned_as_it_lies(const rl_product *p);
int64_t rl_best_strips(int64_t panels, int64_t batch, int64_t most, int64_t threads);
double rl_longest_share(const rl_product *p, int64_t by_m, int64_t by_n, int64_t threads);

#endif
