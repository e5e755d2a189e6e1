/* The packing of a product's operands by copies of runs of memory; the packing kernel does the rest
 * (compiler/products/pack.py). Strides in bytes. */
#ifndef RL_PRODUCT_PACKING_H
#define RL_PRODUCT_PACKING_H
#include <stdint.h>

#include "product.h"

enum { RL_FAR_PANEL = 128 }; /* bytes of a row of the panels of rl_pack_far */

/* Pack k terms of the contiguous rows of A of several whole tiles, `bytes` of each tile: one tile behind the other. */
void rl_pack_side_by_side(const char *from, int64_t along_k, int64_t tiles, int64_t bytes, int64_t k, char *to);

/* Pack a few panels of B, `panel` bytes apart, whose k rows are contiguous and far apart: row by row, so that the
 * processor's prefetcher sees long runs of memory, and a page is looked up once. */
void rl_pack_far(const char *from, int64_t row, int64_t bytes, int64_t k, char *to, int64_t panel);

/* Pack a panel of `columns` columns of which n exist, from column j0 on, for k terms from k0 on. */
void rl_pack_gathered(const rl_gather *g, const char *b, int64_t item, int64_t columns, int64_t k0, int64_t k,
                      int64_t j0, int64_t n, char *to);


/* Pack k rows of n complex numbers, parts of `item` bytes, as two rows each: their parts, and those of i times them.
 * A row's place is `width` numbers. Strides in bytes. */
void rl_pack_pairs(const char *b, int64_t cs, int64_t rs, int64_t item, int64_t n, int64_t k, int64_t width, char *to);

#endif
