/* The column matrix of a convolution, and gradients by one product with it. */
#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"

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

void rl_conv_add_strided(int dtype, char *to, const char *from, int64_t n, int64_t step) {
    int width = dtype >= RL_C64 ? 2 : 1;
    if (dtype == RL_F32 || dtype == RL_C64)
        add_f32((float *)to, (const float *)from, n, step, width);
    else
        add_f64((double *)to, (const double *)from, n, step, width);
}

/* ---- the column matrix ------------------------------------------------------------------------------------------ */

/* The output positions along axis d whose input, at tap t, is inside the image: [*lo, *hi). */
static void inside(const conv *v, int d, int64_t t, int64_t *lo, int64_t *hi) {
    int64_t first = t * v->dil[d] - v->pad[d], s = v->stride[d]; /* input of position 0 */
    *lo = first >= 0 ? 0 : ceil_div(-first, s);
    *hi = v->in[d] > first ? (v->in[d] - 1 - first) / s + 1 : 0;
    if (*hi > v->out[d]) *hi = v->out[d];
    if (*lo > *hi) *lo = *hi;
}

void rl_conv_columns(const conv *v, char *x, int64_t channels, int64_t p0, int64_t n, char *columns, int64_t step,
                        int scatter) {
    int64_t item = v->item, plane = v->out[1] * v->out[2];
    char *row = columns;
    for (int64_t c = 0; c < channels; c++, x += v->in_size * item)
        for (int64_t tz = 0; tz < v->k[0]; tz++)
            for (int64_t ty = 0; ty < v->k[1]; ty++)
                for (int64_t tx = 0; tx < v->k[2]; tx++, row += step * item) {
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
                                rl_conv_add_strided(v->dtype, image, middle, to - from, v->stride[2]);
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

/* ---- gradients of many weights for few positions ----------------------------------------------------------------- */

int rl_conv_has_few_positions(const conv *v) {
    enum { MANY_BYTES = 1 << 19 };
    return v->N * v->out_size <= 2 * RL_PRODUCT_K && v->og * v->rows * v->item >= MANY_BYTES && v->dtype <= RL_F64 &&
           v->in_size < INT32_MAX && rl_product_serves(v->dtype);
}

typedef struct {
    const conv *v;
    char *y, *columns; /* of one group: og rows and v->rows rows of the positions of all images */
    char *x;           /* of the group's first image */
    int64_t positions;
    int adds; /* from the column matrix to the image, not the other way */
    int32_t *at; /* for each tap and position the element of a channel that it reads; in_size if it reads a zero */
} few;

static void free_few(few *q) {
    const conv *v = q->v;
    if (q->y) rl_free(q->y, (size_t)((v->og + v->rows) * q->positions * v->item));
    if (q->at) rl_free((char *)q->at, (size_t)(v->taps * v->out_size) * sizeof *q->at);
}

/* The elements that the positions read, in the order of the column matrix. */
static void find_elements(const few *q) {
    const conv *v = q->v;
    int32_t *at = q->at;
    int64_t tap[3], o[3], i[3];
    for (int64_t t = 0; t < v->taps; t++) {
        tap[0] = t / (v->k[1] * v->k[2]), tap[1] = t / v->k[2] % v->k[1], tap[2] = t % v->k[2];
        for (int64_t n = 0; n < v->out_size; n++) {
            int exists = 1;
            o[0] = n / (v->out[1] * v->out[2]), o[1] = n / v->out[2] % v->out[1], o[2] = n % v->out[2];
            for (int d = 0; d < 3; d++) {
                i[d] = o[d] * v->stride[d] + tap[d] * v->dil[d] - v->pad[d];
                exists &= i[d] >= 0 && i[d] < v->in[d];
            }
            *at++ = (int32_t)(exists ? (i[0] * v->in[1] + i[1]) * v->in[2] + i[2] : v->in_size);
        }
    }
}

static int make_few(const conv *v, few *q) {
    *q = (few){.v = v, .positions = v->N * v->out_size};
    q->y = rl_alloc((size_t)((v->og + v->rows) * q->positions * v->item));
    q->at = (int32_t *)rl_alloc((size_t)(v->taps * v->out_size) * sizeof *q->at);
    if (!q->y || !q->at) {
        free_few(q);
        return 0;
    }
    q->columns = q->y + v->og * q->positions * v->item;
    find_elements(q);
    return 1;
}

/* Make the column matrix of one channel of one image, from its elements and a zero behind them; or the other way, add
 * its rows to the elements. */
#define COLUMNS(T, TAKE, ADD, MOVE)                                                                                   \
    CLONES static void TAKE(const T *x, const int32_t *at, int64_t taps, int64_t n, T *restrict row, int64_t step) {  \
        for (int64_t t = 0; t < taps; t++, at += n, row += step)                                                      \
            for (int64_t j = 0; j < n; j++) row[j] = x[at[j]];                                                        \
    }                                                                                                                 \
    static void ADD(T *restrict x, const int32_t *at, int64_t taps, int64_t n, const T *row, int64_t step) {          \
        for (int64_t t = 0; t < taps; t++, at += n, row += step)                                                      \
            for (int64_t j = 0; j < n; j++) x[at[j]] += row[j];                                                       \
    }                                                                                                                 \
    static void MOVE(int adds, T *x, const int32_t *at, int64_t taps, int64_t n, T *row, int64_t step) {              \
        if (adds)                                                                                                     \
            ADD(x, at, taps, n, row, step);                                                                           \
        else                                                                                                          \
            TAKE(x, at, taps, n, row, step);                                                                          \
    }
COLUMNS(float, take_f32, add_to_f32, move_f32)
COLUMNS(double, take_f64, add_to_f64, move_f64)

static void take_gradient(const few *q, int64_t group) {
    const conv *v = q->v;
    int64_t bytes = v->out_size * v->item;
    for (int64_t s = 0; s < v->N; s++)
        rl_conv_copy_rows(q->y + s * bytes, q->positions * v->item, v->y + (s * v->groups + group) * v->og * bytes,
                          bytes,
                          v->og, bytes);
}

/* Item: a channel of one image. */
static int64_t move_columns(void *ctx, int64_t begin, int64_t end) {
    const few *q = ctx;
    const conv *v = q->v;
    int64_t image = v->in_size * v->item, row = v->taps * q->positions * v->item, n = v->out_size;
    char *x = rl_alloc((size_t)(image + v->item));
    if (!x) return NO_MEMORY;
    for (int64_t t = begin; t < end; t++) {
        int64_t s = t / v->cg, c = t % v->cg;
        char *columns = q->columns + c * row + s * n * v->item, *own = q->x + (s * v->groups * v->cg + c) * image;
        memset(x, 0, (size_t)(image + v->item));
        if (!q->adds) memcpy(x, own, (size_t)image);
        if (v->dtype == RL_F32)
            move_f32(q->adds, (float *)x, q->at, v->taps, n, (float *)columns, q->positions);
        else
            move_f64(q->adds, (double *)x, q->at, v->taps, n, (double *)columns, q->positions);
        if (q->adds) memcpy(own, x, (size_t)image);
    }
    rl_free(x, (size_t)(image + v->item));
    return 0;
}

static int64_t over_channels(few *q) {
    int64_t cost = 20 + q->v->out_size * q->v->taps;
    return rl_parallel_for(move_columns, q, q->v->N * q->v->cg, larger(1, 10000 / cost));
}

int64_t rl_conv_grad_input_of_few(const conv *v, char *x) {
    int64_t item = v->item, row = v->in_size * item, sample = v->groups * v->cg * row, rc = 0;
    few q;
    if (!make_few(v, &q)) return NO_MEMORY;
    char *to = x ? x : rl_alloc((size_t)(v->N * sample));
    if (!to) rc = NO_MEMORY;
    q.adds = 1;
    for (int64_t g = 0; g < v->groups && rc == 0; g++) {
        take_gradient(&q, g);
        rl_product p = {.dtype = v->dtype, .batch = 1, .m = v->rows, .n = q.positions, .k = v->og, .b = q.y};
        p.a = v->w + g * v->og * v->rows * item, p.a_rs = item, p.a_cs = v->rows * item;
        p.c = q.columns, p.b_rs = p.c_rs = q.positions * item, p.b_cs = p.c_cs = item;
        rc = rl_product_run(&p, 1);
        q.x = to + g * v->cg * row;
        if (rc == 0) rc = over_channels(&q);
    }
    rl_product then = {.then = v->then};
    for (int64_t s = 0; s < v->N && v->then && rc == 0; s++)
        rl_product_go_on(&then, s, 0, 0, v->groups * v->cg, v->in_size, x ? NULL : to + s * sample, row, item);
    if (to && !x) rl_free(to, (size_t)(v->N * sample));
    free_few(&q);
    return rc;
}

int64_t rl_conv_grad_weight_of_few(const conv *v, char *w) {
    int64_t item = v->item, rc = 0;
    few q;
    if (!make_few(v, &q)) return NO_MEMORY;
    for (int64_t g = 0; g < v->groups && rc == 0; g++) {
        take_gradient(&q, g);
        q.x = (char *)v->x + g * v->cg * v->in_size * item;
        rc = over_channels(&q);
        rl_product p = {.dtype = v->dtype, .batch = 1, .m = v->og, .n = v->rows, .k = q.positions, .a = q.y};
        p.b = q.columns, p.a_rs = p.b_cs = q.positions * item, p.a_cs = p.b_rs = item;
        p.c = w + g * v->og * v->rows * item, p.c_rs = v->rows * item, p.c_cs = item;
        if (rc == 0) rc = rl_product_run(&p, 1);
    }
    free_few(&q);
    return rc;
}

