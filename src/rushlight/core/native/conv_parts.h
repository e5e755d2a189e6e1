/* What the parts of convolutions share: their geometry, and padded copies of their channels. */
#ifndef RL_CONV_PARTS_H
#define RL_CONV_PARTS_H
#include <stdint.h>
#include <string.h>

#include "blas.h"
#include "clones.h"
#include "integers.h"
#include "pool.h"
#include "product.h"

enum { NO_MEMORY = RL_NO_MEMORY };

/* A convolution brought to three spatial dimensions by leading axes of size 1. */
typedef struct {
    int dtype;
    int64_t item, N, groups, cg, og; /* bytes per item; input and output channels of a group */
    int64_t in[3], out[3], k[3], stride[3], pad[3], dil[3];
    int64_t in_size, out_size, taps; /* products of in, out, k */
    int64_t rows;                    /* cg * taps: rows of the column matrix of a group */
    int64_t block, n_blocks;         /* output positions are worked on in blocks of this many */
    int direct;                      /* 1x1, stride 1, no padding: the input is the column matrix */
    const char *x, *w, *y;
    char *to;
    const rl_epilogue *then; /* the kernel that follows on the result of a forward convolution; then `to` may be NULL */
    /* the strides of `to`, in items, along each axis and between channels */
    int64_t to_step[3], to_channel;
    int scattered;                  /* the items are not contiguous there */
    int shared;                     /* there are fewer products than threads: all threads share each */
    int64_t channel_block, n_channel_blocks, parts; /* how the gradients are cut */
} conv;

typedef struct {
    uint64_t a, b;
} sixteen;

/* Copy n rows of `bytes`, a multiple of 4, from a distance of `from_step` to one of `to_step`. */
void rl_conv_copy_rows(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t bytes);

/* Copy n rows of `count` items that are `step` apart to contiguous rows. */
void rl_conv_copy_strided(int64_t item, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                          int64_t count, int64_t step);

/* to[i * step] += from[i]. */
void rl_conv_add_strided(int dtype, char *to, const char *from, int64_t n, int64_t step);

/* Positions [p0, p0 + n) of the columns of `channels` channels: gather from image `x` into `columns` (channels * taps
 * rows, `step` apart), or, when `scatter`, add the columns into the image. */
void rl_conv_columns(const conv *v, char *x, int64_t channels, int64_t p0, int64_t n, char *columns, int64_t step,
                        int scatter);

/* If all images together have few positions and there are many weights, these decide the time: the gradients read, or
 * write, them only once and in place, by one product of all images with a column matrix, which is small. */
int rl_conv_has_few_positions(const conv *v);
int64_t rl_conv_grad_input_of_few(const conv *v, char *x);
int64_t rl_conv_grad_weight_of_few(const conv *v, char *w);

/* Convolutions read a zero-padded copy of a channel, in which every tap is a fixed offset: no bounds in the loops. With
 * a stride s a row is stored as its s phases, x % s == 0 first, so that a tap's items are still contiguous. LANES items
 * of slack let the last vector of a row read beyond it. */
#define LANES 16
enum { LINE = 64 };
typedef struct {
    int64_t room[3], phase, row, size, *offset; /* extents; items of a phase, of a row, in all; per tap */
} padded_plane;

/* Describe the planes that a convolution reads. Returns whether there was memory. */
int rl_conv_make_padded(const conv *v, padded_plane *p);

/* Copy a channel into the middle of its padded plane, whose border is already zero. */
void rl_conv_fill_padded(const conv *v, const padded_plane *p, const char *x, char *plane);

/* Where products have kernels, the column matrix is never made: it is packed for them, panel by panel, from padded
 * planes. Output positions are worked on in blocks along the first axis that has more than one. */
typedef struct {
    conv v; /* the geometry of a whole block: `out` is that of the block */
    const conv *all;
    int axis;
    int64_t inner, blocks; /* positions that an output along the axis has; blocks of an image */
    padded_plane p;
    int64_t *k_at, *n_at, *tables; /* bytes from the planes' beginning of channels and taps, and of positions */
    size_t table_bytes;
    char *packed; /* the weights of all groups, packed for the tiles; NULL where few positions would read them */
} blocked;

enum { PLANES_BYTES = 1 << 20 }; /* what the planes of a block fill */

/* Choose blocks such that `channels` planes of one have at most about `bytes`, and that an image has `wanted` of them
 * if they stay large enough. Returns whether there was memory. */
int rl_conv_make_blocked(const conv *all, int64_t channels, int64_t wanted, int64_t bytes, blocked *x);
void rl_conv_free_blocked(blocked *x);
size_t rl_conv_planes_bytes(const blocked *x, int64_t channels);

/* Fill the planes of block `b`, for `channels` channels that begin at `from`. Returns its first position; `n`: how many
 * it has. `filled`: the block that is in these planes, -1 if none is; the border of a block is the same for all images.
   */
int64_t rl_conv_fill_block(const blocked *x, int64_t b, const char *from, int64_t channels, char *planes, int64_t *n,
                           int64_t *filled);

/* Whether the images themselves can serve as planes, because they have no border. If so, rows of the column matrix
 * begin from now on where they do in these. */
int rl_conv_lies_in_place(blocked *x);

/* The positions of a block along each axis, of which there are `count`. */
void rl_conv_size_of_block(const blocked *x, int64_t count, int64_t *n);

/* Run over all blocks of all images, where `per` images are one item. */
int64_t rl_conv_run_blocks(rl_range_fn fn, void *ctx, const blocked *x, int64_t per);

/* Deliver a part of the result of a forward convolution for an image (sample * groups + group): for `channels` channels
 * from `channel` on, `planes` planes of `lines` lines of n positions each, from position `first` on. It is at `own`, in
 * rows that are so many bytes apart, and is copied to its place, and the kernel that follows is run on it. */
typedef struct {
    int64_t image, channel, channels, first, planes, lines, n, channel_step, plane_step, line_step;
} made;
void rl_conv_put(const conv *v, const made *m, const char *own);

/* Whether that is more than to copy: then products write to memory of their own. */
int rl_conv_goes_on(const conv *v);

/* The convolution by products. */
int64_t rl_conv_by_products(const conv *v);

/* About how many turns a step over k takes for an image whose products are transposed: for its tiles, and for packing
 * panels of columns and all positions. INFINITY: not for such an image. For several images the weights are packed only
 * once, which is worth more. */
enum { TURNS_OF_PACKING = 10 };
double rl_conv_turns_turned(const conv *v, int64_t columns);

/* About how many turns a step over k takes for an image, and the convolution itself, by tiles whose rows are positions,
 * which are contiguous in the planes, and whose columns are output channels. */
double rl_conv_turns_of_rows(const blocked *x);
int64_t rl_conv_by_rows(blocked *x);

/* A transposed product whose B is gathered, for so few positions that much of their last panel would be empty. */
int64_t rl_conv_multiply_turned(const rl_product *p, int parallel);

/* Blocks of equal size, a multiple of 16, whose columns fill about BLOCK_BYTES; at least 256 positions wide if there
 * are as many, since each product packs the weights anew. */
void rl_conv_choose_block(conv *v, int64_t rows);

/* C (m, n) = A (m, k) @ B (k, n), or C += that, on this thread or, `shared`, on all; strides in elements, and 1 along
 * C's rows. */
int rl_conv_multiply(const conv *v, int64_t m, int64_t n, int64_t k, const char *a, int64_t a_rs, int64_t a_cs,
                     const char *b, int64_t b_rs, int64_t b_cs, char *c, int64_t c_rs, int add);

/* The channels of a block such that `others` * blocks is about 16, but a product keeps some 128 rows. By shape alone.
   */
void rl_conv_choose_channel_block(conv *v, int64_t others);

static inline int is_depthwise(const conv *v) {
    return v->groups > 1 && v->cg == 1 && v->og <= 4 && v->dtype <= RL_F64;
}

/* The gradient by the weights. */
int64_t rl_conv_grad_weight(conv *v, char *w);

#endif
