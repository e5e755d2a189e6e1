/* Convolutions: the gradient by the weights. */
#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"
#include "product.h"

/* Item: (part, group, channel block). A part is a range of (image, block of positions); each part has its own copy of
 * the weights' gradient, and the copies are added in order afterwards. */
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
            rl_conv_columns(v, (char *)x, channels, p0, n, columns, n, 0);
            rc = rl_conv_multiply(v, v->og, rows, n, y, v->out_size, 1, columns, 1, n, w, v->rows, s != first);
        }
    }
    rl_free(columns, (size_t)size);
    return rc;
}

/* Depthwise: a dot product over positions for every tap, in LANES lanes per image, summed in the same order on every
 * processor. Item: one output channel. */
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
 * axis, whose columns are output channels, and whose sums run over the output positions of an image. So that these are
 * contiguous for every tap, each padded plane is copied once for each tap along the last axis, and for each phase of
 * the rows if their stride is more than 1, without the elements that the positions do not read. Neither operand is
 * transposed. */
typedef struct {
    blocked x;
    rl_product_parts s;
    int64_t rows, lines, phases; /* copies of planes of a phase; rows of a copy per plane; phases */
    int64_t apart, panels, outer; /* bytes from copy to copy; of about 32 columns; taps along the first two axes */
    int64_t depth, sums;         /* terms of a block; bytes of the sums of a task */
    int64_t packed;              /* bytes of the output's gradient in a block of positions, packed */
    char *w;                     /* the weights' gradient */
} by_taps;

/* Copy n rows of `bytes`, `step` apart, to contiguous rows, 64 bytes at a time: bytes beyond a row are overwritten by
 * the next one. */
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

/* Add the tiles of one block of positions; `y`: its gradient, for so many positions along the axes, which is packed to
 * `panel`, or NULL if it lies there. */
static void add_block(const by_taps *q, const char *y, const int64_t *n, int64_t rows, const char *copies, char *panel,
                      char *sums, int first) {
    const conv *v = &q->x.v;
    int64_t item = v->item, columns = q->s.columns, width = v->out[2] * item, line = columns * item, r;
    int64_t all = q->x.all->out_size * item;
    rl_tile t = {.a_row = q->apart, .a_k = item, .b_k = line, .c_row = line, .from_row = line};
    t.next_k = all, t.pause = 3;
    for (int64_t z = 0; z < n[0]; z++)
        for (int64_t k0 = 0; k0 < n[1] * n[2]; k0 += q->depth) {
            t.k = smaller(q->depth, n[1] * n[2] - k0), t.add = !first;
            first = 0;
            for (int64_t j = 0; j < q->panels; j++, panel += t.k * line) {
                t.n = smaller(columns, v->og - j * columns), t.b = panel;
                int64_t asked = 0, pairs = 0;
                const char *next = NULL;
                if (y) { /* while tiles are multiplied they ask for what is packed next, a pair of lines a channel */
                    const char *from = y + j * columns * all + (z * n[1] * n[2] + k0) * item;
                    q->s.pack(&(rl_panel){from, all, item, t.n, t.k, panel, line});
                    next = j + 1 < q->panels ? from + columns * all : from - j * columns * all + t.k * item;
                    pairs = ceil_div(t.k * item, 2 * LINE);
                }
                for (int64_t u = 0; u < q->outer; u++) {
                    int64_t ty = u % v->k[1] * v->dil[1], tz = z * v->stride[0] + u / v->k[1] * v->dil[0];
                    const char *a = copies + ty % v->stride[1] * rows * q->apart + k0 * item;
                    a += (tz * q->lines + ty / v->stride[1]) * width;
                    char *c = sums + (u * q->panels + j) * q->rows * line;
                    for (int64_t i = 0; i < rows; i += r) {
                        r = rl_product_next_rows(v->dtype, rows - i);
                        t.a = a + i * q->apart, t.m = r, t.c = c + i * line, t.from = t.c;
                        t.next = asked < pairs ? next + asked++ * 2 * LINE : NULL;
                        q->s.tile(&t);
                    }
                }
            }
        }
}

/* Item: (part, group, channel block), as in grad_weight_blocks. Items that follow one another in a part and a group
 * have the output's gradient in common, so they go through its blocks together. */
static int64_t grad_weight_by_taps(void *ctx, int64_t begin, int64_t end) {
    const by_taps *q = ctx;
    const blocked *x = &q->x;
    const conv *v = x->all;
    int64_t item = v->item, steps = v->N * x->blocks, a = x->axis;
    size_t planes_size = rl_conv_planes_bytes(x, v->channel_block);
    size_t copies_size = (size_t)(q->phases * q->rows * q->apart);
    size_t bytes = planes_size + copies_size + (size_t)(q->packed + 2 * LINE);
    char *planes = rl_alloc(bytes);
    if (!planes) return NO_MEMORY;
    char *panel = planes + ceil_div((int64_t)planes_size, LINE) * LINE;
    char *copies = panel + q->packed;
    int64_t filled = -1, bordered = 0; /* the block that the planes are for, and how many have its border of zeros */
    for (int64_t t = begin, stop; t < end; t = stop) {
        int64_t rest = t / v->n_channel_blocks, group = rest % v->groups, part = rest / v->groups;
        int64_t first = part * steps / v->parts, last = (part + 1) * steps / v->parts;
        stop = smaller(end, (rest + 1) * v->n_channel_blocks);
        for (int64_t s = first; s < last; s++) {
            int64_t image = s / x->blocks * v->groups + group, n[3] = {x->v.out[0], x->v.out[1], x->v.out[2]}, count;
            for (int64_t u = t; u < stop; u++) {
                int64_t c0 = u % v->n_channel_blocks * v->channel_block;
                int64_t channels = smaller(v->channel_block, v->cg - c0);
                const char *from = v->x + (image * v->cg + c0) * v->in_size * item;
                if (channels > bordered) filled = -1;
                if (filled != s % x->blocks) bordered = channels;
                int64_t p0 = rl_conv_fill_block(x, s % x->blocks, from, channels, planes, &count, &filled);
                const char *y = u == t ? v->y + (image * v->og * v->out_size + p0) * item : NULL;
                n[a] = count / x->inner;
                copy_planes(q, planes, channels, copies);
                add_block(q, y, n, channels * v->k[2], copies, panel, v->to + u * q->sums, s == first);
            }
        }
    }
    rl_free(planes, bytes);
    return 0;
}

/* Copy the sums of channels [first, last) of a group's channel block to the weights' gradient. */
#define PUT_SUMS(NAME, T)                                                                                             \
    static inline __attribute__((always_inline)) void NAME##_of(const by_taps *q, const T *sums, int64_t first,       \
                                                                int64_t last, T *w, int64_t taps) {                   \
        const conv *v = q->x.all;                                                                                     \
        int64_t columns = q->s.columns;                                                                               \
        int64_t u_step = q->panels * q->rows * columns;                                                               \
        for (int64_t o = 0; o < v->og; o++) {                                                                         \
            const T *of = sums + o / columns * q->rows * columns + o % columns;                                       \
            for (int64_t c = first; c < last; c++)                                                                    \
                for (int64_t u = 0; u < q->outer; u++) {                                                              \
                    const T *from = of + u * u_step + c * taps * columns;                                             \
                    T *to = w + o * v->rows + c * v->taps + u * taps;                                                 \
                    for (int64_t k = 0; k < taps; k++) to[k] = from[k * columns];                                     \
                }                                                                                                     \
        }                                                                                                             \
    }                                                                                                                 \
    static void NAME(const by_taps *q, const char *sums, int64_t first, int64_t last, char *w) {                      \
        if (q->x.all->k[2] == 3) /* the usual number, known to the compiler */                                        \
            NAME##_of(q, (const T *)sums, first, last, (T *)w, 3);                                                    \
        else                                                                                                          \
            NAME##_of(q, (const T *)sums, first, last, (T *)w, q->x.all->k[2]);                                       \
    }
PUT_SUMS(put_sums_f32, float)
PUT_SUMS(put_sums_f64, double)

/* Item: some channels of a block. The sums of all parts are added in order, and copied to their places while they are
 * in a cache. */
enum { PUT_CHANNELS = 16 };
static int64_t put_together(void *ctx, int64_t begin, int64_t end) {
    const by_taps *q = ctx;
    const conv *v = q->x.all;
    int64_t items = ceil_div(v->channel_block, PUT_CHANNELS), row = v->k[2] * q->s.columns * v->item;
    int64_t part = v->groups * v->n_channel_blocks * q->sums;
    for (int64_t i = begin; i < end; i++) {
        int64_t t = i / items, c0 = t % v->n_channel_blocks * v->channel_block;
        int64_t first = i % items * PUT_CHANNELS;
        int64_t last = smaller(first + PUT_CHANNELS, smaller(v->channel_block, v->cg - c0));
        char *sums = v->to + t * q->sums;
        if (first >= last) continue;
        for (int64_t u = 0; u < q->outer * q->panels; u++)
            for (int64_t p = 1; p < v->parts; p++) {
                char *to = sums + u * q->rows * q->s.columns * v->item + first * row;
                rl_conv_add_strided(v->dtype, to, to + p * part, (last - first) * row / v->item, 1);
            }
        char *w = q->w + (t / v->n_channel_blocks * v->og * v->rows + c0 * v->taps) * v->item;
        (v->dtype == RL_F32 ? put_sums_f32 : put_sums_f64)(q, sums, first, last, w);
    }
    return 0;
}

/* Choose the channels of a block and the parts, by shape alone: about 16 tasks with well filled tiles. */
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
    /* An odd number of cache lines, so that the rows of a tile are in different sets of the caches. */
    q->apart = (ceil_div(q->x.p.room[0] * q->lines * b->out[2] * v->item, LINE) | 1) * LINE + 2 * LINE;
    q->panels = ceil_div(v->og, q->s.columns);
    q->depth = rl_product_depth(b->out[1] * b->out[2]);
    q->packed = b->out[0] * b->out[1] * b->out[2] * q->panels * q->s.columns * v->item;
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
    /* Sums behind the last output or input channel are computed, too. */
    if (v->to && (v->og % q.s.columns || v->cg % v->channel_block)) memset(v->to, 0, (size_t)(v->parts * part));
    int64_t together = smaller(v->n_channel_blocks, v->parts * tasks / (2 * rl_num_threads()));
    int64_t rc = v->to ? rl_parallel_for(grad_weight_by_taps, &q, v->parts * tasks, larger(1, together)) : NO_MEMORY;
    if (rc == 0) {
        const double ns = 0.1, put = 0.5; /* the cost of adding a number, and of copying a sum to its place */
        int64_t items = ceil_div(v->channel_block, PUT_CHANNELS);
        double cost = (double)(q.sums / v->item) / (double)items * (put + ns * (double)(v->parts - 1));
        q.w = w;
        rc = rl_work(put_together, &q, tasks * items, cost);
    }
    if (v->to) rl_free(v->to, (size_t)(v->parts * part));
    rl_conv_free_blocked(&q.x);
    return rc;
}

int64_t rl_conv_grad_weight(conv *v, char *w) {
    if (is_depthwise(v)) {
        v->to = w;
        return rl_parallel_for(v->dtype == RL_F32 ? depthwise_weight_f32 : depthwise_weight_f64, v, v->groups * v->og,
                               1);
    }
    if (rl_conv_has_few_positions(v)) return rl_conv_grad_weight_of_few(v, w);
    if (rl_product_serves(v->dtype)) return run_by_taps(v, w);
    int64_t weights = v->groups * v->og * v->rows, bytes = weights * v->item;
    rl_conv_choose_channel_block(v, v->groups);
    rl_conv_choose_block(v, v->channel_block * v->taps);
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
        for (int64_t p = 1; p < v->parts; p++) rl_conv_add_strided(real, w, copies + p * bytes, reals, 1);
        rl_free(copies, (size_t)(v->parts * bytes));
    }
    return rc;
}
