#include "conv.h"

#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"
#include "product.h"

enum { BAD_ARGUMENT = -1 };
#define BLOCK_BYTES 524288 /* columns of one block: about half of a usual second-level cache */

/* ---- leaf loops ------------------------------------------------------------------------------------------------- */

/* The filters of a group's `og` output and `cg` input channels, of `taps` items each, with these exchanged: of each the
 * items at `at`, of which there are `n`. Some of either at a time stay in the first-level cache, and are read in long
 * runs, as the processor's prefetcher wants it. */
#define TURN_FILTERS(NAME, T)                                                                                         \
    static void NAME(T *restrict to, const T *restrict from, int64_t og, int64_t cg, int64_t taps, const int64_t *at, \
                     int64_t n) {                                                                                     \
        for (int64_t c0 = 0; c0 < cg; c0 += 4 * LANES)                                                                \
            for (int64_t o0 = 0; o0 < og; o0 += LANES)                                                                \
                for (int64_t o = o0; o < smaller(og, o0 + LANES); o++)                                                \
                    for (int64_t c = c0; c < smaller(cg, c0 + 4 * LANES); c++)                                        \
                        for (int64_t k = 0; k < n; k++) to[(c * og + o) * n + k] = from[(o * cg + c) * taps + at[k]]; \
    }
TURN_FILTERS(turn_4, uint32_t)
TURN_FILTERS(turn_8, uint64_t)
TURN_FILTERS(turn_16, sixteen)

/* to[i * step] += from[i], for elements of `width` reals. */
#define ADD_STRIDED(NAME, T)                                                                                          \
    CLONES static void NAME(T *restrict to, const T *restrict from, int64_t n, int64_t step, int width) {             \
        if (width == 1 && step == 1)                                                                                  \
            for (int64_t i = 0; i < n; i++) to[i] += from[i];                                                         \
        else if (width == 1)                                                                                          \
            for (int64_t i = 0; i < n; i++) to[i * step] += from[i];                                                  \
        else                                                                                                          \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                to[2 * i * step] += from[2 * i];                                                                      \
                to[2 * i * step + 1] += from[2 * i + 1];                                                              \
            }                                                                                                         \
    }
ADD_STRIDED(add_f32, float)
ADD_STRIDED(add_f64, double)

static void add_strided(int dtype, char *to, const char *from, int64_t n, int64_t step) {
    int width = dtype >= RL_C64 ? 2 : 1;
    if (dtype == RL_F32 || dtype == RL_C64)
        add_f32((float *)to, (const float *)from, n, step, width);
    else
        add_f64((double *)to, (const double *)from, n, step, width);
}

/* ---- the column matrix ------------------------------------------------------------------------------------------ */

/* The output positions along axis d whose input, at tap t, lies inside: [*lo, *hi). */
static void inside(const conv *v, int d, int64_t t, int64_t *lo, int64_t *hi) {
    int64_t first = t * v->dil[d] - v->pad[d], s = v->stride[d]; /* input of position 0 */
    *lo = first >= 0 ? 0 : ceil_div(-first, s);
    *hi = v->in[d] > first ? (v->in[d] - 1 - first) / s + 1 : 0;
    if (*hi > v->out[d]) *hi = v->out[d];
    if (*lo > *hi) *lo = *hi;
}

/* Positions [p0, p0 + n) of the columns of `channels` channels: gather from image `x` into `columns` (channels * taps
 * rows, n apart), or, when `scatter`, add the columns into the image. */
static void columns_of(const conv *v, char *x, int64_t channels, int64_t p0, int64_t n, char *columns, int scatter) {
    int64_t item = v->item, plane = v->out[1] * v->out[2];
    char *row = columns;
    for (int64_t c = 0; c < channels; c++, x += v->in_size * item)
        for (int64_t tz = 0; tz < v->k[0]; tz++)
            for (int64_t ty = 0; ty < v->k[1]; ty++)
                for (int64_t tx = 0; tx < v->k[2]; tx++, row += n * item) {
                    int64_t lo, hi, oz = p0 / plane, oy = p0 % plane / v->out[2], ox = p0 % v->out[2];
                    inside(v, 2, tx, &lo, &hi);
                    int64_t ix0 = tx * v->dil[2] - v->pad[2];
                    for (int64_t done = 0; done < n;) {
                        int64_t end = smaller(v->out[2], ox + n - done), count = end - ox;
                        int64_t iz = oz * v->stride[0] + tz * v->dil[0] - v->pad[0];
                        int64_t iy = oy * v->stride[1] + ty * v->dil[1] - v->pad[1];
                        int64_t from = larger(lo, ox), to = smaller(hi, end);
                        char *at = row + done * item;
                        if (iz < 0 || iz >= v->in[0] || iy < 0 || iy >= v->in[1] || from >= to) {
                            if (!scatter) memset(at, 0, (size_t)(count * item));
                        } else {
                            char *image = x + ((iz * v->in[1] + iy) * v->in[2] + ix0 + from * v->stride[2]) * item;
                            char *middle = at + (from - ox) * item;
                            if (scatter) {
                                add_strided(v->dtype, image, middle, to - from, v->stride[2]);
                            } else {
                                if (from > ox) memset(at, 0, (size_t)((from - ox) * item));
                                rl_conv_copy_strided(item, middle, 0, image, 0, 1, to - from, v->stride[2]);
                                if (end > to) memset(at + (to - ox) * item, 0, (size_t)((end - to) * item));
                            }
                        }
                        done += count, ox = 0;
                        if (++oy == v->out[1]) oy = 0, oz++;
                    }
                }
}

/* Blocks of equal size, in whole 16s, whose columns fill about BLOCK_BYTES; at least 256 positions wide if there are
 * as many, since each product packs the weights anew. */
static void choose_block(conv *v, int64_t rows) {
    int64_t wanted = larger(BLOCK_BYTES / (rows * v->item), 256);
    wanted = smaller(wanted, 2048);
    int64_t even = ceil_div(v->out_size, ceil_div(v->out_size, wanted));
    v->block = smaller(v->out_size, ceil_div(even, 16) * 16);
    v->n_blocks = ceil_div(v->out_size, v->block);
}

/* C (m, n) = A (m, k) @ B (k, n), or C += that, on this thread; strides in elements, and 1 along C's rows. */
static int multiply(const conv *v, int64_t m, int64_t n, int64_t k, const char *a, int64_t a_rs, int64_t a_cs,
                    const char *b, int64_t b_rs, int64_t b_cs, char *c, int64_t c_rs, int add) {
    rl_product p = {.dtype = v->dtype, .add = add, .batch = 1, .m = m, .n = n, .k = k, .a = a, .b = b, .c = c};
    p.a_rs = a_rs * v->item, p.a_cs = a_cs * v->item, p.b_rs = b_rs * v->item, p.b_cs = b_cs * v->item;
    p.c_rs = c_rs * v->item, p.c_cs = v->item;
    return rl_multiply(&p, 0);
}

/* ---- forward ---------------------------------------------------------------------------------------------------- */

/* Item: one block of positions of one group of one image. */
static int64_t forward_blocks(void *ctx, int64_t begin, int64_t end) {
    const conv *v = ctx;
    int64_t item = v->item, size = (v->direct ? 0 : v->rows * v->block * item), rc = 0;
    int goes_on = rl_conv_goes_on(v);
    size_t bytes = (size_t)(size + (goes_on ? v->og * v->block * item : 0));
    char *columns = bytes ? rl_alloc(bytes) : NULL;
    if (bytes && !columns) return NO_MEMORY;
    for (int64_t t = begin; t < end && rc == 0; t++) {
        int64_t p0 = t % v->n_blocks * v->block, image = t / v->n_blocks; /* image = sample * groups + group */
        int64_t n = smaller(v->block, v->out_size - p0);
        const char *x = v->x + image * v->cg * v->in_size * item,
                   *w = v->w + image % v->groups * v->og * v->rows * item;
        char *y = goes_on ? columns + size : v->to + (image * v->og * v->out_size + p0) * item;
        const char *b = x + p0 * item;
        int64_t ldb = v->out_size;
        if (!v->direct) {
            columns_of(v, (char *)x, v->cg, p0, n, columns, 0);
            b = columns, ldb = n;
        }
        rc = multiply(v, v->og, n, v->rows, w, v->rows, 1, b, ldb, 1, y, goes_on ? n : v->out_size, 0);
        if (goes_on && rc == 0) rl_conv_put(v, &(made){image, 0, v->og, p0, 1, 1, n, n * item, 0, 0}, y);
    }
    if (columns) rl_free(columns, bytes);
    return rc;
}

/* Item: one output channel of one image. */
#define DEPTHWISE(NAME, T)                                                                                            \
    typedef T NAME##_vector __attribute__((vector_size(LANES * sizeof(T))));                                          \
    CLONES static void NAME##_plane(const conv *v, const padded_plane *p, const T *plane, const T *w, T *y) {         \
        int64_t taps = v->taps, width = v->out[2];                                                                    \
        for (int64_t oz = 0; oz < v->out[0]; oz++)                                                                    \
            for (int64_t oy = 0; oy < v->out[1]; oy++, y += width) {                                                  \
                const T *row = plane + (oz * v->stride[0] * p->room[1] + oy * v->stride[1]) * p->row;                 \
                for (int64_t i = 0; i < width; i += LANES) {                                                          \
                    NAME##_vector sum = {0}, some;                                                                    \
                    for (int64_t k = 0; k < taps; k++) {                                                              \
                        const T *from = row + p->offset[k] + i;                                                       \
                        memcpy(&some, from, sizeof some);                                                             \
                        sum += w[k] * some;                                                                           \
                    }                                                                                                 \
                    if (i + LANES <= width)                                                                           \
                        memcpy(y + i, &sum, sizeof sum);                                                              \
                    else                                                                                              \
                        for (int64_t l = 0; l < width - i; l++) y[i + l] = sum[l];                                    \
                }                                                                                                     \
            }                                                                                                         \
    }                                                                                                                 \
    static int64_t NAME(void *ctx, int64_t begin, int64_t end) {                                                      \
        const conv *v = ctx;                                                                                          \
        padded_plane p;                                                                                               \
        if (!rl_conv_make_padded(v, &p)) return NO_MEMORY;                                                            \
        int goes_on = rl_conv_goes_on(v);                                                                             \
        size_t bytes = (size_t)(p.size + (goes_on ? v->out_size : 0)) * sizeof(T);                                    \
        T *plane = rl_alloc(bytes), *own = plane + p.size;                                                            \
        if (plane) memset(plane, 0, (size_t)p.size * sizeof(T));                                                      \
        for (int64_t t = begin; plane && t < end; t++) {                                                              \
            if (t == begin || t % v->og == 0)                                                                         \
                rl_conv_fill_padded(v, &p, v->x + t / v->og * v->in_size * v->item, (char *)plane);                   \
            const T *w = (const T *)v->w + t % (v->groups * v->og) * v->taps;                                         \
            NAME##_plane(v, &p, plane, w, goes_on ? own : (T *)v->to + t * v->out_size);                              \
            int64_t row = v->out[2] * v->item;                                                                        \
            if (goes_on)                                                                                              \
                rl_conv_put(v,                                                                                        \
                            &(made){t / v->og, t % v->og, 1, 0, v->out[0], v->out[1], v->out[2], 0, v->out[1] * row, row}, \
                            (const char *)own);                                                                       \
        }                                                                                                             \
        rl_free(p.offset, (size_t)v->taps * sizeof(int64_t));                                                         \
        rl_free(plane, bytes);                                                                                        \
        return plane ? 0 : NO_MEMORY;                                                                                 \
    }
DEPTHWISE(depthwise_f32, float)
DEPTHWISE(depthwise_f64, double)

static int is_depthwise(const conv *v) { return v->groups > 1 && v->cg == 1 && v->og <= 4 && v->dtype <= RL_F64; }

static int64_t forward(conv *v, char *y) {
    v->to = y;
    v->direct = v->taps == 1 && v->in_size == v->out_size && !v->scattered;
    for (int d = 0; d < 3; d++) v->direct &= v->stride[d] == 1 && v->pad[d] == 0 && v->in[d] == v->out[d];
    if (is_depthwise(v)) {
        rl_range_fn fn = v->dtype == RL_F32 ? depthwise_f32 : depthwise_f64;
        int64_t cost = v->out_size * v->taps / 4 + 50; /* about a nanosecond for four multiply-adds */
        return rl_parallel_for(fn, v, v->N * v->groups * v->og, larger(1, 10000 / cost));
    }
    if (!v->direct && rl_product_serves(v->dtype)) return rl_conv_by_products(v);
    choose_block(v, v->rows);
    double cost = (double)v->rows * (double)v->block * (double)(v->og + 8) / 30 + 200;
    return rl_parallel_for(forward_blocks, v, v->N * v->groups * v->n_blocks,
                           cost < 10000 ? (int64_t)(10000 / cost) : 1);
}

/* ---- gradient by the input -------------------------------------------------------------------------------------- */

/* Item: a block of channels of one group of one image, whose positions are added block after block, always in this
 * order. */
static int64_t grad_input_blocks(void *ctx, int64_t begin, int64_t end) {
    const conv *v = ctx;
    int64_t item = v->item, size = v->channel_block * v->taps * v->block * item;
    char *columns = rl_alloc((size_t)size);
    if (!columns) return NO_MEMORY;
    int64_t rc = 0;
    for (int64_t t = begin; t < end && rc == 0; t++) {
        int64_t c0 = t % v->n_channel_blocks * v->channel_block, image = t / v->n_channel_blocks;
        int64_t channels = smaller(v->channel_block, v->cg - c0), rows = channels * v->taps;
        const char *w = v->w + (image % v->groups * v->og * v->rows + c0 * v->taps) * item;
        char *x = v->to + (image * v->cg + c0) * v->in_size * item;
        memset(x, 0, (size_t)(channels * v->in_size * item));
        for (int64_t p0 = 0; p0 < v->out_size && rc == 0; p0 += v->block) {
            int64_t n = smaller(v->block, v->out_size - p0);
            const char *y = v->y + (image * v->og * v->out_size + p0) * item;
            rc = multiply(v, rows, n, v->og, w, 1, v->rows, y, v->out_size, 1, columns, n, 0);
            columns_of(v, x, channels, p0, n, columns, 1);
        }
    }
    rl_free(columns, (size_t)size);
    return rc;
}

/* The gradient is itself a convolution, of y's gradient with the weights reversed in space and with input and output
 * channels exchanged: no adding into shared places, and blocks are independent. With a stride of s there are s along the
 * axis, one for each phase of x (places that are s apart), of every s-th tap. `r`: that of a phase that has taps. Whether
 * there is a place in it. */
static int choose_phase(const conv *v, const int64_t *phase, conv *r, int64_t *at, int64_t *to) {
    int64_t from[3];
    *to = 0;
    r->cg = v->og, r->og = v->cg, r->in_size = v->out_size, r->out_size = 1, r->taps = 1, r->scattered = 0;
    for (int d = 0; d < 3; d++) {
        int64_t s = v->stride[d], p = phase[d], reach = v->in[d] + v->pad[d] - p;
        int64_t low = ceil_div(v->pad[d] - p, s); /* the first place is low * s + p - pad */
        from[d] = low * s + p - v->pad[d];
        r->k[d] = ceil_div(v->k[d] - p, s);
        r->in[d] = v->out[d], r->out[d] = reach > 0 ? larger(0, (reach - 1) / s + 1 - low) : 0;
        r->stride[d] = 1, r->dil[d] = s == 1 ? v->dil[d] : 1;
        r->pad[d] = r->dil[d] * (r->k[d] - 1) - low; /* negative where the padding exceeds the kernel's reach */
        r->out_size *= r->out[d], r->taps *= r->k[d];
        r->scattered |= s != 1;
    }
    r->rows = r->cg * r->taps;
    r->to_channel = v->in_size;
    for (int64_t k = 0; k < r->taps; k++) {
        int64_t tx = k % r->k[2], ty = k / r->k[2] % r->k[1], tz = k / r->k[2] / r->k[1];
        tx = phase[2] + (r->k[2] - 1 - tx) * v->stride[2], ty = phase[1] + (r->k[1] - 1 - ty) * v->stride[1];
        tz = phase[0] + (r->k[0] - 1 - tz) * v->stride[0];
        at[k] = (tz * v->k[1] + ty) * v->k[2] + tx;
    }
    int64_t step[3] = {v->in[1] * v->in[2], v->in[2], 1};
    for (int d = 0; d < 3; d++) r->to_step[d] = step[d] * v->stride[d], *to += from[d] * step[d];
    return r->out_size > 0;
}

enum { MOST_PHASES = 9 };

static int64_t grad_input_by_phases(const conv *v, char *x) {
    enum { NEAR_BYTES = 1 << 19 }; /* what phases share stays in the second-level cache from one to the next */
    conv r[MOST_PHASES];
    int64_t item = v->item, count = v->groups * v->og * v->rows, n[3], to[MOST_PHASES], n_phases = 0, rc = 0;
    size_t bytes = (size_t)(count * item) + (size_t)v->taps * sizeof(int64_t);
    int64_t *at = rl_alloc(bytes);
    if (!at) return NO_MEMORY;
    char *w = (char *)(at + v->taps);
    int all = 1;
    for (int d = 0; d < 3; d++) all &= v->k[d] >= v->stride[d], n[d] = smaller(v->stride[d], v->k[d]);
    for (int64_t p = 0; p < n[0] * n[1] * n[2]; p++) {
        int64_t phase[3] = {p / n[2] / n[1], p / n[2] % n[1], p % n[2]};
        conv *q = &r[n_phases];
        *q = *v;
        if (!choose_phase(v, phase, q, at, &to[n_phases])) continue;
        q->w = w;
        for (int64_t g = 0; g < v->groups; g++, w += q->og * q->rows * item) {
            const char *from = v->w + g * v->og * v->rows * item;
            if (item == 4)
                turn_4((uint32_t *)w, (const uint32_t *)from, v->og, v->cg, v->taps, at, q->taps);
            else if (item == 8)
                turn_8((uint64_t *)w, (const uint64_t *)from, v->og, v->cg, v->taps, at, q->taps);
            else
                turn_16((sixteen *)w, (const sixteen *)from, v->og, v->cg, v->taps, at, q->taps);
        }
        n_phases++;
    }
    int64_t x_step = v->groups * v->cg * v->in_size * item, y_step = v->groups * v->og * v->out_size * item;
    int64_t near = larger(NEAR_BYTES / (x_step + y_step), 2 * rl_num_threads());
    if (n_phases == 1 && all) near = v->N;
    for (int64_t s = 0; s < v->N && rc == 0; s += near) {
        if (!all) memset(x + s * x_step, 0, (size_t)(smaller(near, v->N - s) * x_step)); /* phases without taps */
        for (int64_t p = 0; p < n_phases && rc == 0; p++) {
            conv q = r[p];
            q.N = smaller(near, v->N - s), q.x = v->y + s * y_step;
            rc = forward(&q, x ? x + s * x_step + to[p] * item : NULL);
        }
    }
    rl_free(at, bytes);
    return rc;
}

/* Channels a block so that `others` * blocks is 16 or so, but a product keeps some 128 rows. By shape alone. */
static void choose_channel_block(conv *v, int64_t others) {
    int64_t blocks = larger(1, ceil_div(16, others));
    v->channel_block = smaller(v->cg, larger(ceil_div(v->cg, blocks), ceil_div(128, v->taps)));
    v->n_channel_blocks = ceil_div(v->cg, v->channel_block);
}

static int64_t grad_input(conv *v, char *x) {
    enum { FEW_ROWS = 8 };
    int64_t phases = 1;
    int strided = 0, dilated = 0;
    for (int d = 0; d < 3; d++) {
        phases *= smaller(v->stride[d], v->k[d]);
        strided |= v->stride[d] > 1, dilated |= v->stride[d] > 1 && v->dil[d] > 1;
    }
    /* Many phases are many products, which read y's gradient once each; of few channels their tiles are not full. */
    if (!strided || (!dilated && phases <= MOST_PHASES && v->cg >= FEW_ROWS && rl_product_serves(v->dtype)))
        return grad_input_by_phases(v, x);
    v->to = x;
    choose_channel_block(v, v->N * v->groups);
    choose_block(v, v->channel_block * v->taps);
    double cost = (double)v->channel_block * (double)v->taps * (double)v->out_size * (double)(v->og + 8) / 30 + 200;
    int64_t grain = cost < 10000 ? (int64_t)(10000 / cost) : 1;
    return rl_parallel_for(grad_input_blocks, v, v->N * v->groups * v->n_channel_blocks, grain);
}

/* ---- gradient by the weights ------------------------------------------------------------------------------------ */

/* Item: (part, group, channel block). A part is a range of (image, block of positions); each has its own copy of the
 * weights' gradient, and the copies are added afterwards in order. */
static int64_t grad_weight_blocks(void *ctx, int64_t begin, int64_t end) {
    const conv *v = ctx;
    int64_t item = v->item, size = v->channel_block * v->taps * v->block * item;
    char *columns = rl_alloc((size_t)size);
    if (!columns) return NO_MEMORY;
    int64_t rc = 0, steps = v->N * v->n_blocks;
    for (int64_t t = begin; t < end && rc == 0; t++) {
        int64_t c0 = t % v->n_channel_blocks * v->channel_block, rest = t / v->n_channel_blocks;
        int64_t group = rest % v->groups, part = rest / v->groups;
        int64_t channels = smaller(v->channel_block, v->cg - c0), rows = channels * v->taps;
        char *w = v->to + ((part * v->groups + group) * v->og * v->rows + c0 * v->taps) * item;
        int64_t first = part * steps / v->parts, last = (part + 1) * steps / v->parts;
        for (int64_t s = first; s < last && rc == 0; s++) {
            int64_t p0 = s % v->n_blocks * v->block, image = s / v->n_blocks * v->groups + group;
            int64_t n = smaller(v->block, v->out_size - p0);
            const char *x = v->x + (image * v->cg + c0) * v->in_size * item;
            const char *y = v->y + (image * v->og * v->out_size + p0) * item;
            columns_of(v, (char *)x, channels, p0, n, columns, 0);
            rc = multiply(v, v->og, rows, n, y, v->out_size, 1, columns, 1, n, w, v->rows, s != first);
        }
    }
    rl_free(columns, (size_t)size);
    return rc;
}

/* Depthwise: a dot product over positions for every tap, in LANES lanes an image, added up in a fixed order whatever
 * the processor. Item: one output channel. */
#define DEPTHWISE_WEIGHT(NAME, T)                                                                                     \
    typedef T NAME##_vector __attribute__((vector_size(LANES * sizeof(T))));                                          \
    CLONES static void NAME##_plane(const conv *v, const padded_plane *p, const T *plane, const T *y, T *lanes) {     \
        int64_t taps = v->taps, width = v->out[2];                                                                    \
        for (int64_t oz = 0; oz < v->out[0]; oz++)                                                                    \
            for (int64_t oy = 0; oy < v->out[1]; oy++, y += width) {                                                  \
                const T *row = plane + (oz * v->stride[0] * p->room[1] + oy * v->stride[1]) * p->row;                 \
                for (int64_t k = 0; k < taps; k++) {                                                                  \
                    const T *from = row + p->offset[k];                                                               \
                    NAME##_vector sum, some, grad;                                                                    \
                    memcpy(&sum, lanes + k * LANES, sizeof sum);                                                      \
                    int64_t i = 0;                                                                                    \
                    for (; i + LANES <= width; i += LANES) {                                                          \
                        memcpy(&some, from + i, sizeof some);                                                         \
                        memcpy(&grad, y + i, sizeof grad);                                                            \
                        sum += some * grad;                                                                           \
                    }                                                                                                 \
                    for (; i < width; i++) sum[i % LANES] += from[i] * y[i];                                          \
                    memcpy(lanes + k * LANES, &sum, sizeof sum);                                                      \
                }                                                                                                     \
            }                                                                                                         \
    }                                                                                                                 \
    static int64_t NAME(void *ctx, int64_t begin, int64_t end) {                                                      \
        const conv *v = ctx;                                                                                          \
        int64_t channels = v->groups * v->og;                                                                         \
        padded_plane p;                                                                                               \
        if (!rl_conv_make_padded(v, &p)) return NO_MEMORY;                                                            \
        size_t bytes = (size_t)(p.size + v->taps * LANES) * sizeof(T);                                                \
        T *lanes = rl_alloc(bytes), *plane = lanes + v->taps * LANES;                                                 \
        if (lanes) memset(lanes, 0, bytes);                                                                           \
        for (int64_t o = begin; lanes && o < end; o++) {                                                              \
            T *w = (T *)v->to + o * v->taps;                                                                          \
            for (int64_t s = 0; s < v->N; s++) {                                                                      \
                memset(lanes, 0, (size_t)(v->taps * LANES) * sizeof(T));                                              \
                rl_conv_fill_padded(v, &p, v->x + (s * channels + o) / v->og * v->in_size * v->item, (char *)plane);  \
                NAME##_plane(v, &p, plane, (const T *)v->y + (s * channels + o) * v->out_size, lanes);                \
                for (int64_t k = 0; k < v->taps; k++) {                                                               \
                    T *sum = lanes + k * LANES;                                                                       \
                    for (int width = LANES / 2; width > 0; width /= 2)                                                \
                        for (int l = 0; l < width; l++) sum[l] += sum[l + width];                                     \
                    w[k] = s == 0 ? sum[0] : w[k] + sum[0];                                                           \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
        rl_free(p.offset, (size_t)v->taps * sizeof(int64_t));                                                         \
        rl_free(lanes, bytes);                                                                                        \
        return lanes ? 0 : NO_MEMORY;                                                                                 \
    }
DEPTHWISE_WEIGHT(depthwise_weight_f32, float)
DEPTHWISE_WEIGHT(depthwise_weight_f64, double)

/* Where products have kernels, the weights' gradient is made of tiles whose rows are channels and taps along the last
 * axis, whose columns are output channels, and whose sums run over the output positions of an image. So that these lie
 * side by side for every tap, each padded plane is copied once for each tap along the last axis, and for each phase of
 * the rows where their stride is more than 1, without what the positions do not read. Neither operand is turned. */
typedef struct {
    blocked x;
    rl_product_parts s;
    int64_t rows, lines, phases; /* copies of planes of a phase; rows of a copy to a plane of its own; phases */
    int64_t apart, panels, outer; /* bytes from copy to copy; of 32 columns or so; taps along the first two axes */
    int64_t depth, sums;         /* terms of a block; bytes of the sums of a task */
} by_taps;

/* Copy n rows of `bytes`, `step` apart, to where they follow one another; 64 bytes at a time, of which what is too much
 * is overwritten by the next row. */
CLONES static void close_up(char *to, const char *from, int64_t n, int64_t step, int64_t bytes) {
    for (int64_t i = 0; i < n; i++, to += bytes, from += step)
        for (int64_t o = 0; o < bytes; o += LINE) memcpy(to + o, from + o, LINE);
}

static void copy_planes(const by_taps *q, const char *planes, int64_t channels, char *to) {
    const conv *v = &q->x.v;
    const padded_plane *p = &q->x.p;
    int64_t item = v->item, row = p->row * item, width = v->out[2] * item;
    for (int64_t phase = 0; phase < q->phases; phase++)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t tx = 0; tx < v->k[2]; tx++, to += q->apart)
                for (int64_t z = 0; z < p->room[0]; z++) {
                    int64_t lines = ceil_div(p->room[1] - phase, v->stride[1]);
                    const char *from = planes + (c * p->size + p->offset[tx]) * item;
                    from += (z * p->room[1] + phase) * row;
                    close_up(to + z * q->lines * width, from, lines, v->stride[1] * row, width);
                }
}

/* Add the tiles of one block of positions: `y` its gradient, of so many positions along the axes. */
static void add_block(const by_taps *q, const char *y, const int64_t *n, int64_t rows, const char *copies, char *panel,
                      char *sums, int first) {
    const conv *v = &q->x.v;
    int64_t item = v->item, columns = q->s.columns, width = v->out[2] * item, line = columns * item, r;
    int64_t all = q->x.all->out_size * item;
    rl_tile t = {.a_row = q->apart, .a_k = item, .b = panel, .b_k = line, .c_row = line, .from_row = line};
    for (int64_t z = 0; z < n[0]; z++)
        for (int64_t k0 = 0; k0 < n[1] * n[2]; k0 += q->depth) {
            t.k = smaller(q->depth, n[1] * n[2] - k0), t.add = !first;
            first = 0;
            for (int64_t j = 0; j < q->panels; j++) {
                t.n = smaller(columns, v->og - j * columns);
                const char *from = y + j * columns * all + (z * n[1] * n[2] + k0) * item;
                q->s.pack(&(rl_panel){from, all, item, t.n, t.k, panel, line});
                for (int64_t u = 0; u < q->outer; u++) {
                    int64_t ty = u % v->k[1] * v->dil[1], tz = z * v->stride[0] + u / v->k[1] * v->dil[0];
                    const char *a = copies + ty % v->stride[1] * rows * q->apart + k0 * item;
                    a += (tz * q->lines + ty / v->stride[1]) * width;
                    char *c = sums + (u * q->panels + j) * q->rows * line;
                    for (int64_t i = 0; i < rows; i += r) {
                        r = rl_product_next_rows(v->dtype, rows - i);
                        t.a = a + i * q->apart, t.m = r, t.c = c + i * line, t.from = t.c;
                        q->s.tile(&t);
                    }
                }
            }
        }
}

/* Item: (part, group, channel block), as in grad_weight_blocks. */
static int64_t grad_weight_by_taps(void *ctx, int64_t begin, int64_t end) {
    const by_taps *q = ctx;
    const blocked *x = &q->x;
    const conv *v = x->all;
    int64_t item = v->item, steps = v->N * x->blocks, a = x->axis;
    size_t planes_size = rl_conv_planes_bytes(x, v->channel_block);
    size_t copies_size = (size_t)(q->phases * q->rows * q->apart);
    size_t bytes = planes_size + copies_size + (size_t)(q->depth * q->s.columns * item + 2 * LINE);
    char *planes = rl_alloc(bytes);
    if (!planes) return NO_MEMORY;
    char *panel = planes + ceil_div((int64_t)planes_size, LINE) * LINE;
    char *copies = panel + q->depth * q->s.columns * item;
    for (int64_t t = begin; t < end; t++) {
        int64_t c0 = t % v->n_channel_blocks * v->channel_block, rest = t / v->n_channel_blocks;
        int64_t group = rest % v->groups, part = rest / v->groups;
        int64_t channels = smaller(v->channel_block, v->cg - c0);
        int64_t first = part * steps / v->parts, last = (part + 1) * steps / v->parts, filled = -1;
        for (int64_t s = first; s < last; s++) {
            int64_t image = s / x->blocks * v->groups + group, n[3] = {x->v.out[0], x->v.out[1], x->v.out[2]}, count;
            const char *from = v->x + (image * v->cg + c0) * v->in_size * item;
            int64_t p0 = rl_conv_fill_block(x, s % x->blocks, from, channels, planes, &count, &filled);
            n[a] = count / x->inner;
            copy_planes(q, planes, channels, copies);
            add_block(q, v->y + (image * v->og * v->out_size + p0) * item, n, channels * v->k[2], copies, panel,
                      v->to + t * q->sums, s == first);
        }
    }
    rl_free(planes, bytes);
    return 0;
}

/* The sums of a group's channel block to the weights' gradient. */
#define PUT_SUMS(NAME, T)                                                                                             \
    static void NAME(const by_taps *q, const T *sums, int64_t channels, T *w) {                                       \
        const conv *v = q->x.all;                                                                                     \
        int64_t columns = q->s.columns, taps = v->k[2];                                                               \
        for (int64_t o0 = 0; o0 < v->og; o0 += LANES) /* lines of the sums stay in the first-level cache */           \
            for (int64_t c = 0; c < channels; c++)                                                                    \
                for (int64_t o = o0; o < smaller(v->og, o0 + LANES); o++)                                             \
                    for (int64_t u = 0; u < q->outer; u++) {                                                          \
                        int64_t row = (u * q->panels + o / columns) * q->rows + c * taps;                             \
                        T *to = w + o * v->rows + c * v->taps + u * taps;                                             \
                        for (int64_t k = 0; k < taps; k++) to[k] = sums[(row + k) * columns + o % columns];           \
                    }                                                                                                 \
    }
PUT_SUMS(put_sums_f32, float)
PUT_SUMS(put_sums_f64, double)

/* Choose the channels of a block and the parts, by shape alone: 16 tasks or so, of tiles that are well filled. */
static int make_by_taps(conv *v, by_taps *q) {
    enum { FEW_ROWS = 96, SUMS_BYTES = 16 << 20 };
    *q = (by_taps){.s = rl_product_kernels(v->dtype)};
    int64_t most = ceil_div(v->cg * v->k[2], FEW_ROWS), blocks = larger(1, smaller(ceil_div(16, v->groups), most));
    v->channel_block = ceil_div(v->cg, blocks);
    v->n_channel_blocks = ceil_div(v->cg, v->channel_block);
    int64_t copies = ceil_div(v->k[2], v->stride[2]);
    if (!rl_conv_make_blocked(v, v->channel_block, 1, PLANES_BYTES / larger(1, copies), &q->x)) return 0;
    const conv *b = &q->x.v;
    q->rows = v->channel_block * v->k[2], q->outer = v->k[0] * v->k[1];
    q->phases = smaller(v->stride[1], (v->k[1] - 1) * v->dil[1] + 1);
    q->lines = ceil_div(q->x.p.room[1], v->stride[1]);
    /* An odd number of lines: the rows of a tile do not lie on top of one another in the caches. */
    q->apart = (ceil_div(q->x.p.room[0] * q->lines * b->out[2] * v->item, LINE) | 1) * LINE + 2 * LINE;
    q->panels = ceil_div(v->og, q->s.columns);
    q->depth = rl_product_depth(b->out[1] * b->out[2]);
    q->sums = q->outer * q->panels * q->rows * q->s.columns * v->item;
    int64_t tasks = v->groups * v->n_channel_blocks, steps = v->N * q->x.blocks;
    v->parts = larger(1, smaller(ceil_div(16, tasks), smaller(steps, SUMS_BYTES / (tasks * q->sums))));
    return 1;
}

static int64_t run_by_taps(conv *v, char *w) {
    by_taps q;
    if (!make_by_taps(v, &q)) return NO_MEMORY;
    int64_t tasks = v->groups * v->n_channel_blocks, part = tasks * q.sums;
    v->to = rl_alloc((size_t)(v->parts * part));
    /* Places behind the last output or input channel are added up as well. */
    if (v->to && (v->og % q.s.columns || v->cg % v->channel_block)) memset(v->to, 0, (size_t)(v->parts * part));
    int64_t rc = v->to ? rl_parallel_for(grad_weight_by_taps, &q, v->parts * tasks, 1) : NO_MEMORY;
    if (rc == 0) {
        for (int64_t p = 1; p < v->parts; p++) add_strided(v->dtype, v->to, v->to + p * part, part / v->item, 1);
        for (int64_t t = 0; t < tasks; t++) {
            int64_t c0 = t % v->n_channel_blocks * v->channel_block, channels = smaller(v->channel_block, v->cg - c0);
            char *to = w + (t / v->n_channel_blocks * v->og * v->rows + c0 * v->taps) * v->item;
            if (v->dtype == RL_F32)
                put_sums_f32(&q, (const float *)(v->to + t * q.sums), channels, (float *)to);
            else
                put_sums_f64(&q, (const double *)(v->to + t * q.sums), channels, (double *)to);
        }
    }
    if (v->to) rl_free(v->to, (size_t)(v->parts * part));
    rl_conv_free_blocked(&q.x);
    return rc;
}

static int64_t grad_weight(conv *v, char *w) {
    if (is_depthwise(v)) {
        v->to = w;
        return rl_parallel_for(v->dtype == RL_F32 ? depthwise_weight_f32 : depthwise_weight_f64, v, v->groups * v->og,
                               1);
    }
    if (rl_product_serves(v->dtype)) return run_by_taps(v, w);
    int64_t weights = v->groups * v->og * v->rows, bytes = weights * v->item;
    choose_channel_block(v, v->groups);
    choose_block(v, v->channel_block * v->taps);
    int64_t tasks = v->groups * v->n_channel_blocks, most_parts = larger(1, ((int64_t)32 << 20) / bytes);
    v->parts = larger(1, smaller(ceil_div(16, tasks), smaller(v->N * v->n_blocks, most_parts)));
    char *copies = w;
    if (v->parts > 1) copies = rl_alloc((size_t)(v->parts * bytes));
    v->to = copies;
    int64_t rc = copies ? rl_parallel_for(grad_weight_blocks, v, v->parts * tasks, 1) : NO_MEMORY;
    if (copies && copies != w) {
        memcpy(w, copies, (size_t)bytes);
        int64_t reals = v->dtype >= RL_C64 ? 2 * weights : weights;
        int real = v->dtype == RL_F32 || v->dtype == RL_C64 ? RL_F32 : RL_F64;
        for (int64_t p = 1; p < v->parts; p++) add_strided(real, w, copies + p * bytes, reals, 1);
        rl_free(copies, (size_t)(v->parts * bytes));
    }
    return rc;
}

/* ---- the interface ---------------------------------------------------------------------------------------------- */

/* Fill in the geometry; whether every argument is possible. */
static int describe(conv *v, int nd, const int64_t *in_sp, const int64_t *out_sp, const int64_t *k_sp,
                    const int64_t *stride, const int64_t *pad, const int64_t *dil) {
    if (nd < 1 || nd > 3) return 0;
    v->in_size = v->out_size = v->taps = 1;
    for (int d = 0; d < 3; d++) {
        int s = d - (3 - nd);
        v->in[d] = s < 0 ? 1 : in_sp[s], v->out[d] = s < 0 ? 1 : out_sp[s], v->k[d] = s < 0 ? 1 : k_sp[s];
        v->stride[d] = s < 0 ? 1 : stride[s], v->pad[d] = s < 0 ? 0 : pad[s], v->dil[d] = s < 0 ? 1 : dil[s];
        if (v->in[d] < 0 || v->out[d] < 0 || v->k[d] < 0 || v->stride[d] < 1 || v->pad[d] < 0 || v->dil[d] < 1)
            return 0;
        v->in_size *= v->in[d], v->out_size *= v->out[d], v->taps *= v->k[d];
    }
    v->rows = v->cg * v->taps;
    v->to_channel = v->out_size, v->to_step[0] = v->out[1] * v->out[2], v->to_step[1] = v->out[2], v->to_step[2] = 1;
    return 1;
}

int rl_conv_takes_then(int mode, int dtype, int nd, const int64_t *stride) {
    int unit = 1;
    for (int d = 0; d < nd; d++) unit &= stride[d] == 1;
    return rl_product_serves(dtype) && (mode == RL_CONV_FORWARD || (mode == RL_CONV_GRAD_INPUT && unit));
}

int rl_conv(int mode, int dtype, int nd, int64_t N, int64_t Cin, int64_t Cout, int64_t groups, const int64_t *in_sp,
            const int64_t *out_sp, const int64_t *k_sp, const int64_t *stride, const int64_t *pad, const int64_t *dil,
            void *x, void *w, void *y, const rl_epilogue *then) {
    static const int64_t item_size[4] = {4, 8, 8, 16};
    conv v = {.dtype = dtype, .N = N, .groups = groups, .x = x, .w = w, .y = y, .then = then};
    if (mode < RL_CONV_FORWARD || mode > RL_CONV_GRAD_WEIGHT || dtype < RL_F32 || dtype > RL_C128) return BAD_ARGUMENT;
    if (N < 0 || Cin < 0 || Cout < 0 || groups < 1 || Cin % groups || Cout % groups) return BAD_ARGUMENT;
    v.item = item_size[dtype], v.cg = Cin / groups, v.og = Cout / groups;
    if (!describe(&v, nd, in_sp, out_sp, k_sp, stride, pad, dil)) return BAD_ARGUMENT;
    char *to = mode == RL_CONV_FORWARD ? y : mode == RL_CONV_GRAD_INPUT ? x : w;
    int64_t sizes[3] = {N * Cout * v.out_size, N * Cin * v.in_size, Cout * v.rows};
    if (sizes[mode] == 0) return 0;
    if (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0) { /* a sum of no terms */
        memset(to, 0, (size_t)(sizes[mode] * v.item));
        return 0;
    }
    int64_t rc = mode == RL_CONV_FORWARD      ? forward(&v, to)
                 : mode == RL_CONV_GRAD_INPUT ? grad_input(&v, to)
                                              : grad_weight(&v, to);
    return (int)rc;
}
