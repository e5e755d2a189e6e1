/* Masks: the indices at which the bytes of one are not 0, and the elements of an array there. */
#ifndef RL_MASK_H
#define RL_MASK_H
#include <stdint.h>

#define RL_MASK_CHUNK 65536 /* bytes of a mask that are one item of parallel work */

/* Chunks of a mask of n bytes; at least 1. */
int64_t rl_mask_chunks(int64_t n);

/* How many bytes are not 0. starts[c] becomes how many there are before chunk c; it has an entry more than there are
 * chunks. */
int64_t rl_mask_count(const uint8_t *mask, int64_t n, int64_t *starts);

/* The coordinates of the bytes that are not 0 in a row-major mask of n bytes: coordinate d of the k-th goes to
 * out[d][k * step]. starts: as counted. At most as many as were counted are written, should another thread change the
 * mask meanwhile. */
void rl_mask_places(const uint8_t *mask, int64_t n, const int64_t *starts, int ndim, const int64_t *sizes,
                    int64_t *const *out, int64_t step);

/* The items, of `item` bytes each, of the array x at which a row-major mask is not 0, one behind the other.
 * stride: in bytes, of x's items along the dimensions of the mask. */
void rl_mask_take(const uint8_t *mask, int64_t n, const int64_t *starts, int ndim, const int64_t *sizes, const char *x,
                  const int64_t *stride, int64_t item, char *out);

#endif
