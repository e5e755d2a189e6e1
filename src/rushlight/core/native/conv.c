#include "conv.h"

#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"
#include "product.h"

enum { BAD_ARGUMENT = -1 };
#define BLOCK_BYTES 524288 /* columns of one block: about half of a usual second-level cache */

/* ---- leaf loops ------------------------------------------------------------------------------------------------- */

/* Exchange the `og` output and `cg` input channels of a group's filters of `taps` items each, for the `n` items at `at`
 * and output channels [o0, o1), so few that what is read of them stays in the first-level cache. Memory is prefetched:
 * there are too many runs for the processor to detect. */
enum { AHEAD = 512 };
#define TURN_FILTERS(NAME, T)                                                                                         \
    static inline __attribute__((always_inline)) void NAME##_of(T *restrict to, const T *restrict from, int64_t og,   \
                                                                int64_t cg, int64_t taps, const int64_t *at,          \
                                                                int64_t n, int64_t o0, int64_t o1) {                  \
        for (int64_t c = 0; c < cg; c++)                                                                              \
            for (int64_t o = o0; o < o1; o++) {                                                                       \
                const T *filter = from + (o * cg + c) * taps;                                                         \
                __builtin_prefetch(filter + AHEAD / (int64_t)sizeof(T));                                              \
                for (int64_t k = 0; k < n; k++) to[(c * og + o) * n + k] = filter[at[k]];                             \
            }                                                                                                         \
    }                                                                                                                 \
    static void NAME(T *to, const T *from, int64_t og, int64_t cg, int64_t taps, const int64_t *at, int64_t n,        \
                     int64_t o0, int64_t o1) {                                                                        \
        if (n == 9) /* the usual numbers, known to the compiler */                                                    \
            NAME##_of(to, from, og, cg, taps, at, 9, o0, o1);                                                         \
        else if (n == 4)                                                                                              \
            NAME##_of(to, from, og, cg, taps, at, 4, o0, o1);                                                         \
        else                                                                                                          \
            NAME##_of(to, from, og, cg, taps, at, n, o0, o1);                                                         \
    }
TURN_FILTERS(turn_4, uint32_t)
TURN_FILTERS(turn_8, uint64_t)
TURN_FILTERS(turn_16, sixteen)

typedef struct {
    const conv *v; /* whose filters are transposed */
    char *to;
    const int64_t *at;
    int64_t taps; /* of them */
} turning;

/* Item: LANES output channels of a group. */
static int64_t turn_filters(void *ctx, int64_t begin, int64_t end) {
    const turning *q = ctx;
    const conv *v = q->v;
    int64_t blocks = ceil_div(v->og, LANES);
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / blocks, o0 = t % blocks * LANES, o1 = smaller(v->og, o0 + LANES);
        const char *from = v->w + group * v->og * v->rows * v->item;
        char *to = q->to + group * v->og * v->cg * q->taps * v->item;
        if (v->item == 4)
            turn_4((uint32_t *)to, (const uint32_t *)from, v->og, v->cg, v->taps, q->at, q->taps, o0, o1);
        else if (v->item == 8)
            turn_8((uint64_t *)to, (const uint64_t *)from, v->og, v->cg, v->taps, q->at, q->taps, o0, o1);
        else
            turn_16((sixteen *)to, (const sixteen *)from, v->og, v->cg, v->taps, q->at, q->taps, o0, o1);
    }
    return 0;
}

/* ---- columns in blocks ------------------------------------------------------------------------------------------ */

void rl_conv_choose_block(conv *v, int64_t rows) {
    int64_t wanted = larger(BLOCK_BYTES / (rows * v->item), 256);
    wanted = smaller(wanted, 2048);
    int64_t even = ceil_div(v->out_size, ceil_div(v->out_size, wanted));
    v->block = smaller(v->out_size, ceil_div(even, 16) * 16);
    v->n_blocks = ceil_div(v->out_size, v->block);
}

int rl_conv_multiply(const conv *v, int64_t m, int64_t n, int64_t k, const char *a, int64_t a_rs, int64_t a_cs,
                     const char *b, int64_t b_rs, int64_t b_cs, char *c, int64_t c_rs, int add) {
    rl_product p = {.dtype = v->dtype, .add = add, .batch = 1, .m = m, .n = n, .k = k, .a = a, .b = b, .c = c};
    p.a_rs = a_rs * v->item, p.a_cs = a_cs * v->item, p.b_rs = b_rs * v->item, p.b_cs = b_cs * v->item;
    p.c_rs = c_rs * v->item, p.c_cs = v->item;
    return rl_multiply(&p, v->shared);
}

void rl_conv_choose_channel_block(conv *v, int64_t others) {
    int64_t blocks = larger(1, ceil_div(16, others));
    v->channel_block = smaller(v->cg, larger(ceil_div(v->cg, blocks), ceil_div(128, v->taps)));
    v->n_channel_blocks = ceil_div(v->cg, v->channel_block);
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
            rl_conv_columns(v, (char *)x, v->cg, p0, n, columns, n, 0);
            b = columns, ldb = n;
        }
        rc = rl_conv_multiply(v, v->og, n, v->rows, w, v->rows, 1, b, ldb, 1, y, goes_on ? n : v->out_size, 0);
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
                            &(made){t / v->og, t % v->og, 1, 0, v->out[0], v->out[1], v->out[2], 0, v->out[1] * row,  \
                                     row},                                                                            \
                            (const char *)own);                                                                       \
        }                                                                                                             \
        rl_free(p.offset, (size_t)v->taps * sizeof(int64_t));                                                         \
        rl_free(plane, bytes);                                                                                        \
        return plane ? 0 : NO_MEMORY;                                                                                 \
    }
DEPTHWISE(depthwise_f32, float)
DEPTHWISE(depthwise_f64, double)

static int64_t forward(conv *v, char *y) {
    v->to = y;
    v->direct = v->taps == 1 && v->in_size == v->out_size && !v->scattered;
    for (int d = 0; d < 3; d++) v->direct &= v->stride[d] == 1 && v->pad[d] == 0 && v->in[d] == v->out[d];
    if (is_depthwise(v)) {
        rl_range_fn fn = v->dtype == RL_F32 ? depthwise_f32 : depthwise_f64;
        int64_t cost = v->out_size * v->taps / 4 + 50; /* about a nanosecond for four multiply-adds */
        return rl_parallel_for(fn, v, v->N * v->groups * v->og, larger(1, 10000 / cost));
    }
    /* With one tap, strides skip most of an image: the columns that are read are quickly copied. */
    int thinned = v->taps == 1 && v->in_size >= 2 * v->out_size && !v->scattered;
    if (!v->direct && !thinned && rl_product_serves(v->dtype)) return rl_conv_by_products(v);
    rl_conv_choose_block(v, v->rows);
    if (v->N * v->groups * v->n_blocks < rl_num_threads()) { /* all threads share each product */
        v->shared = 1;
        return forward_blocks(v, 0, v->N * v->groups * v->n_blocks);
    }
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
            rc = rl_conv_multiply(v, rows, n, v->og, w, 1, v->rows, y, v->out_size, 1, columns, n, 0);
            rl_conv_columns(v, x, channels, p0, n, columns, n, 1);
        }
    }
    rl_free(columns, (size_t)size);
    return rc;
}

/* The gradient is itself a convolution, of y's gradient with the weights reversed in space and with input and output
 * channels exchanged: nothing is added into shared memory, and blocks are independent. With a stride of s there are s
 * convolutions along the axis, one for each phase of x (positions that are s apart), with every s-th tap. `r`: the
 * convolution of a phase that has taps. Returns whether the phase has any positions. */
static int choose_phase(const conv *v, const int64_t *phase, conv *r, int64_t *at, int64_t *to) {
    int64_t from[3];
    *to = 0;
    r->cg = v->og, r->og = v->cg, r->in_size = v->out_size, r->out_size = 1, r->taps = 1, r->scattered = 0;
    for (int d = 0; d < 3; d++) {
        int64_t s = v->stride[d], p = phase[d], reach = v->in[d] + v->pad[d] - p;
        int64_t low = ceil_div(v->pad[d] - p, s); /* the first position is low * s + p - pad */
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
    enum { NEAR_BYTES = 1 << 19 }; /* the data that phases share stay in the second-level cache between them */
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
        turning turn = {v, w, at, q->taps};
        int64_t cost = LANES * v->cg * q->taps; /* about a nanosecond an item */
        rl_parallel_for(turn_filters, &turn, v->groups * ceil_div(v->og, LANES), larger(1, 10000 / cost));
        w += v->groups * q->og * q->rows * item;
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

static int64_t grad_input(conv *v, char *x) {
    enum { FEW_ROWS = 8 };
    if (rl_conv_has_few_positions(v)) return rl_conv_grad_input_of_few(v, x);
    int64_t phases = 1;
    int strided = 0, dilated = 0;
    for (int d = 0; d < 3; d++) {
        phases *= smaller(v->stride[d], v->k[d]);
        strided |= v->stride[d] > 1, dilated |= v->stride[d] > 1 && v->dil[d] > 1;
    }
    /* Many phases are many products, each of which reads y's gradient; with few channels their tiles are not full. */
    if (!strided || (!dilated && phases <= MOST_PHASES && v->cg >= FEW_ROWS && rl_product_serves(v->dtype)))
        return grad_input_by_phases(v, x);
    v->to = x;
    rl_conv_choose_channel_block(v, v->N * v->groups);
    rl_conv_choose_block(v, v->channel_block * v->taps);
    double cost = (double)v->channel_block * (double)v->taps * (double)v->out_size * (double)(v->og + 8) / 30 + 200;
    int64_t grain = cost < 10000 ? (int64_t)(10000 / cost) : 1;
    return rl_parallel_for(grad_input_blocks, v, v->N * v->groups * v->n_channel_blocks, grain);
}

/* ---- the interface ---------------------------------------------------------------------------------------------- */

/* Fill in the geometry; returns whether all arguments are valid. */
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
                                              : rl_conv_grad_weight(&v, to);
    return (int)rc;
}
