/* Convolutions as products whose column matrix is never made (docs/design/products.md). */
#include <math.h>

#include "alloc.h"
#include "conv_parts.h"

/* Copy rows of items that are `step` apart to, or from, contiguous rows. (Steps of 2, the usual ones, are known
 * to the compiler and become shuffles.) */
#define COPY_STRIDED(NAME, T)                                                                                         \
    static inline __attribute__((always_inline)) void NAME##_by(T *restrict to, int64_t a, const T *restrict from,    \
                                                                int64_t b, int64_t n) {                               \
        for (int64_t i = 0; i < n; i++) to[i * a] = from[i * b];                                                      \
    }                                                                                                                 \
    CLONES static void NAME(char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,            \
                            int64_t from_step, int64_t rows, int64_t n) {                                             \
        for (int64_t r = 0; r < rows; r++, to += to_row, from += from_row) {                                          \
            if (to_step == 1 && from_step == 2)                                                                       \
                NAME##_by((T *)to, 1, (const T *)from, 2, n);                                                         \
            else if (to_step == 2 && from_step == 1)                                                                  \
                NAME##_by((T *)to, 2, (const T *)from, 1, n);                                                         \
            else                                                                                                      \
                NAME##_by((T *)to, to_step, (const T *)from, from_step, n);                                           \
        }                                                                                                             \
    }
COPY_STRIDED(copy_4, uint32_t)
COPY_STRIDED(copy_8, uint64_t)
COPY_STRIDED(copy_16, sixteen)

/* Copy rows of every second item of four bytes, n (8 or more) of each: eight items from two vectors at a time, the
 * second of which begins at an item of the first, so that nothing behind the last item is read; the last eight overlap
 * those before. */
typedef uint32_t eight __attribute__((vector_size(32), aligned(4), may_alias));
#if defined(__clang__)
#define SECONDS(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15)
#else
#define SECONDS(a, b) __builtin_shuffle(a, b, (eight){0, 2, 4, 6, 9, 11, 13, 15})
#endif
ALWAYS_INLINE void eight_seconds(char *to, const char *from) {
    *(eight *)to = SECONDS(*(const eight *)from, *(const eight *)(from + 7 * 4));
}
CLONES static void every_second(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows, int64_t n) {
    for (int64_t r = 0; r < rows; r++, to += to_row, from += from_row) {
        for (int64_t i = 0; i + 8 < n; i += 8) eight_seconds(to + i * 4, from + 2 * i * 4);
        eight_seconds(to + (n - 8) * 4, from + 2 * (n - 8) * 4);
    }
}

static void copy_strided(int64_t item, char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,
                         int64_t from_step, int64_t rows, int64_t n) {
    if (item == 4 && to_step == 1 && from_step == 2 && n >= 8) {
        every_second(to, to_row, from, from_row, rows, n);
        return;
    }
    (item == 4 ? copy_4 : item == 8 ? copy_8 : copy_16)(to, to_row, to_step, from, from_row, from_step, rows, n);
}

/* The last piece overlaps the one before it where they are no whole number. */
#define COPY_ROWS(SIZE)                                                                                               \
    if (bytes >= (SIZE)) {                                                                                            \
        for (int64_t r = 0; r < n; r++, to += to_step, from += from_step) {                                           \
            for (int64_t i = 0; i + (SIZE) < bytes; i += (SIZE)) memcpy(to + i, from + i, SIZE);                      \
            memcpy(to + bytes - (SIZE), from + bytes - (SIZE), SIZE);                                                 \
        }                                                                                                             \
        return;                                                                                                       \
    }
CLONES void rl_conv_copy_rows(char *to, int64_t to_step, const char *from, int64_t from_step,
                              int64_t n, int64_t bytes) {
    COPY_ROWS(64)
    COPY_ROWS(32)
    COPY_ROWS(16)
    COPY_ROWS(8)
    COPY_ROWS(4)
}

void rl_conv_copy_strided(int64_t item, char *to, int64_t to_row, const char *from, int64_t from_row, int64_t rows,
                          int64_t n, int64_t step) {
    if (step == 1)
        rl_conv_copy_rows(to, to_row, from, from_row, rows, n * item);
    else
        copy_strided(item, to, to_row, 1, from, from_row, step, rows, n);
}

/* ---- padded planes ---------------------------------------------------------------------------------------------- */

int rl_conv_make_padded(const conv *v, padded_plane *p) {
    for (int d = 0; d < 3; d++) p->room[d] = (v->out[d] - 1) * v->stride[d] + (v->k[d] - 1) * v->dil[d] + 1;
    p->phase = ceil_div(p->room[2], v->stride[2]);
    p->row = p->phase * v->stride[2];
    p->size = p->room[0] * p->room[1] * p->row + LANES;
    p->offset = rl_alloc((size_t)v->taps * sizeof(int64_t));
    if (!p->offset) return 0;
    for (int64_t k = 0; k < v->taps; k++) {
        int64_t tx = k % v->k[2] * v->dil[2], ty = k / v->k[2] % v->k[1] * v->dil[1];
        int64_t tz = k / v->k[2] / v->k[1] * v->dil[0];
        p->offset[k] = (tz * p->room[1] + ty) * p->row + tx % v->stride[2] * p->phase + tx / v->stride[2];
    }
    return 1;
}

void rl_conv_fill_padded(const conv *v, const padded_plane *p, const char *x, char *plane) {
    int64_t s = v->stride[2], item = v->item, row = p->row * item, low = v->pad[1];
    /* The rows and columns of x that are in the plane: phase q holds the padded ones q, q + s, ..., up to its room. */
    int64_t first_y = larger(0, -low), end_y = smaller(v->in[1], p->room[1] - low), rows = end_y - first_y;
    for (int64_t iz = 0; iz < v->in[0]; iz++) {
        int64_t pz = iz + v->pad[0];
        if (pz < 0 || pz >= p->room[0] || rows <= 0) continue;
        const char *from = x + (iz * v->in[1] + first_y) * v->in[2] * item;
        char *to = plane + (pz * p->room[1] + first_y + low) * row;
        for (int64_t q = 0; q < s; q++) {
            int64_t first = v->pad[2] > q ? ceil_div(v->pad[2] - q, s) : 0;
            int64_t end = smaller(v->in[2] + v->pad[2], p->room[2]) - q; /* columns from q on that exist */
            int64_t count = (end > 0 ? ceil_div(end, s) : 0) - first;
            const char *column = from + (q + first * s - v->pad[2]) * item;
            char *place = to + (q * p->phase + first) * item;
            if (count > 0) rl_conv_copy_strided(item, place, row, column, v->in[2] * item, rows, count, s);
        }
    }
}

/* ---- where it goes ---------------------------------------------------------------------------------------------- */

int rl_conv_goes_on(const conv *v) { return v->then || v->scattered; }

void rl_conv_put(const conv *v, const made *m, const char *own) {
    int64_t item = v->item, x = m->first % v->out[2], y = m->first / v->out[2] % v->out[1];
    int64_t z = m->first / v->out[2] / v->out[1], sample = m->image / v->groups;
    int64_t at = z * v->to_step[0] + y * v->to_step[1] + x * v->to_step[2];
    int64_t row = m->lines > 1 ? v->to_step[1] * item : 0;
    for (int64_t o = m->channel; v->to && o < m->channel + m->channels; o++)
        for (int64_t p = 0; p < m->planes; p++) {
            const char *from = own + (o - m->channel) * m->channel_step + p * m->plane_step;
            char *to = v->to + ((m->image * v->og + o) * v->to_channel + at + p * v->to_step[0]) * item;
            if (v->to_step[2] != 1)
                copy_strided(item, to, row, v->to_step[2], from, m->line_step, 1, m->lines, m->n);
            else
                rl_conv_copy_rows(to, row, from, m->line_step, m->lines, m->n * item);
        }
    for (int64_t p = 0; v->then && p < m->planes; p++)
        rl_product_go_on_lines(v->then, sample, m->image % v->groups * v->og + m->channel,
                               m->first + p * m->lines * m->n, m->channels, m->lines, m->n,
                               v->to ? NULL : (char *)own + p * m->plane_step, m->channel_step, m->line_step, item);
}

enum { FEW_POSITIONS = 512, PACKED_FROM = 256, MOST_PACKED_ROWS = 1024 };

/* ---- implicit products ------------------------------------------------------------------------------------------ */

/* The offset of each row of the column matrix from the beginning of the planes. */
static void place_taps(blocked *x, int64_t channels) {
    const conv *v = &x->v;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t k = 0; k < v->taps; k++) x->k_at[c * v->taps + k] = (c * x->p.size + x->p.offset[k]) * v->item;
}

int rl_conv_make_blocked(const conv *all, int64_t channels, int64_t wanted, int64_t bytes, blocked *x) {
    *x = (blocked){.v = *all, .all = all};
    conv *v = &x->v;
    while (x->axis < 2 && v->out[x->axis] == 1) x->axis++;
    int a = x->axis;
    x->inner = all->out_size / all->out[a];
    int64_t plane = all->in_size / larger(all->in[a], 1) * v->stride[a] * channels * all->item; /* of an output */
    int64_t least = ceil_div(FEW_POSITIONS, x->inner), most = larger(bytes / larger(plane, 1), least);
    int64_t block = smaller(all->out[a], smaller(most, larger(ceil_div(all->out[a], wanted), least)));
    x->blocks = ceil_div(all->out[a], block);
    v->out[a] = ceil_div(all->out[a], x->blocks);
    v->out_size = v->out[a] * x->inner;
    if (!rl_conv_make_padded(v, &x->p)) return 0;
    x->table_bytes = (size_t)(channels * v->taps + v->out_size) * sizeof(int64_t);
    x->tables = rl_alloc(x->table_bytes);
    if (!x->tables) {
        rl_free(x->p.offset, (size_t)v->taps * sizeof(int64_t));
        return 0;
    }
    x->k_at = x->tables, x->n_at = x->tables + channels * v->taps;
    place_taps(x, channels);
    int64_t *to = x->n_at;
    for (int64_t z = 0; z < v->out[0]; z++)
        for (int64_t y = 0; y < v->out[1]; y++)
            for (int64_t i = 0; i < v->out[2]; i++)
                *to++ = ((z * v->stride[0] * x->p.room[1] + y * v->stride[1]) * x->p.row + i) * v->item;
    return 1;
}

int rl_conv_lies_in_place(blocked *x) {
    const conv *v = x->all;
    int yes = v->cg * v->in_size >= LANES && x->p.row == v->in[2] && (x->axis > 0 || x->p.room[1] == v->in[1]);
    for (int d = 0; d < 3; d++)
        yes &= v->pad[d] == 0 && v->stride[d] == 1 && v->out[d] + (v->k[d] - 1) * v->dil[d] == v->in[d];
    if (yes) {
        x->p.size = v->in_size;
        place_taps(x, v->cg);
    }
    return yes;
}

void rl_conv_free_blocked(blocked *x) {
    rl_free(x->p.offset, (size_t)x->v.taps * sizeof(int64_t));
    rl_free(x->tables, x->table_bytes);
}

size_t rl_conv_planes_bytes(const blocked *x, int64_t channels) {
    return (size_t)(channels * x->p.size * x->v.item + RL_SLACK);
}

int64_t rl_conv_fill_block(const blocked *x, int64_t b, const char *from, int64_t channels, char *planes, int64_t *n,
                           int64_t *filled) {
    conv v = x->v;
    int a = x->axis;
    int64_t first = b * v.out[a];
    v.pad[a] -= first * v.stride[a];
    *n = smaller(v.out[a], x->all->out[a] - first) * x->inner;
    if (*filled != b) memset(planes, 0, (size_t)(channels * x->p.size * v.item));
    *filled = b;
    for (int64_t c = 0; c < channels; c++)
        rl_conv_fill_padded(&v, &x->p, from + c * v.in_size * v.item, planes + c * x->p.size * v.item);
    return first * x->inner;
}

void rl_conv_size_of_block(const blocked *x, int64_t count, int64_t *n) {
    for (int d = 0; d < 3; d++) n[d] = x->v.out[d];
    n[x->axis] = count / x->inner;
}

/* Products with packed columns. If an image has few positions, several images share a product, so that its tiles are
 * full: those of `per` samples, whose planes are one behind the other. */
typedef struct {
    blocked *x;
    int64_t per, planes; /* bytes of an image's planes */
    int64_t *n_at;       /* as that of x, of all images */
    int parallel;        /* there are so few products that all threads share each */
    int turned;          /* they are made as C^T */
} packed_columns;

/* How many samples share a product: so many that its tiles are full, and each thread has as many products. */
static int64_t choose_samples(const blocked *x, int64_t columns) {
    enum { PANELS = 8 };
    const conv *v = x->all;
    int64_t whole = ceil_div(v->out_size, columns) * columns;
    if (x->blocks > 1 || whole * 16 <= v->out_size * 17) return 1;
    int64_t room = larger(1, PLANES_BYTES / (v->cg * x->p.size * v->item));
    int64_t per = smaller(smaller(v->N, room), ceil_div(PANELS * columns, v->out_size));
    int64_t threads = rl_num_threads(), products = ceil_div(v->N, per);
    if (products > 1) products = ceil_div(products, threads) * threads;
    return ceil_div(v->N, smaller(products, v->N));
}

/* Item: one block of positions of one group of one image; or all positions of one group of several. */
static int64_t forward_packed(void *ctx, int64_t begin, int64_t end) {
    const packed_columns *c = ctx;
    const blocked *x = c->x;
    const conv *v = x->all;
    int64_t item = v->item, rc = 0, filled = -1, n[3];
    int apart = c->per > 1 || rl_conv_goes_on(v);
    size_t planes_size = (size_t)ceil_div(c->per * c->planes + RL_SLACK, LINE) * LINE;
    size_t bytes = planes_size + (apart ? (size_t)(v->og * c->per * x->v.out_size * item) : 0);
    char *planes = rl_alloc(bytes), *own = planes + planes_size;
    if (!planes) return NO_MEMORY;
    rl_gather gather = {.k_at = x->k_at, .n_at = c->n_at};
    rl_product q = {.dtype = v->dtype, .batch = 1, .m = v->og, .k = v->rows, .b = planes, .gather = &gather};
    q.a_rs = v->rows * item, q.a_cs = item, q.c_cs = item;
    for (int64_t t = begin; t < end && rc == 0; t++) {
        int64_t block = t % x->blocks, group = t / x->blocks % v->groups, first = t / x->blocks / v->groups * c->per;
        int64_t samples = smaller(c->per, v->N - first), p0 = 0, count = 0, border = filled;
        for (int64_t i = 0; i < samples; i++, border = filled) {
            const char *from = v->x + ((first + i) * v->groups + group) * v->cg * v->in_size * item;
            p0 = rl_conv_fill_block(x, block, from, v->cg, planes + i * c->planes, &count, &border);
        }
        filled = block;
        int64_t weights = group * v->og * v->rows * item;
        q.a = v->w + weights, gather.packed = x->packed ? x->packed + weights : NULL;
        q.n = samples * count, q.c_rs = (apart ? q.n : v->out_size) * item;
        q.c = apart ? own : v->to + ((first * v->groups + group) * v->og * v->out_size + p0) * item;
        rc = c->turned ? rl_conv_multiply_turned(&q, c->parallel) : rl_product_run(&q, c->parallel);
        rl_conv_size_of_block(x, count, n);
        if (!v->scattered) n[0] = n[1] = 1, n[2] = count; /* they follow one another */
        for (int64_t i = 0; apart && i < samples && rc == 0; i++)
            rl_conv_put(v,
                        &(made){(first + i) * v->groups + group, 0, v->og, p0, n[0], n[1], n[2], q.c_rs,
                                n[1] * n[2] * item, n[2] * item},
                        own + i * count * item);
    }
    rl_free(planes, bytes);
    return rc;
}

/* ---- tiles that read the planes --------------------------------------------------------------------------------- */

/* If vectors of neighbouring positions waste little, nothing is packed at all: a tile reads its two vectors of each row
 * of the column matrix in the planes. They are the vectors of each row of positions; or, if rows and steps are those of
 * the planes, of everything between the first position and the last, including items of no position. The results are
 * made in our own memory, from which those of positions are copied. */
typedef struct {
    blocked *x;
    rl_product_parts s;
    int64_t lanes, line;    /* positions of a vector, and from row to row of C's own */
    int64_t vectors, plane; /* vectors of a block, and of one of its positions along the first axis */
    int64_t *at;            /* bytes from the planes' beginning to each vector */
    int64_t own_row;        /* bytes from row to row of C's own */
    int in_place;           /* the image itself has the planes: it has no border */
    int fits;               /* whether this takes fewer turns than packed columns */
    int whole;              /* its vectors are pairs of those of positions: they are written in place */
} lined;

/* How many vectors a plane of so many rows takes. */
static int64_t vectors_of(const lined *q, int64_t rows, int64_t width) {
    return rows ? ceil_div((rows - 1) * q->line + width, q->lanes) : 0;
}

/* About how many turns a step over k takes for an image: for its tiles, and for packing each panel of columns. */
static double turns_packed(const blocked *x, int64_t columns) {
    int64_t per = choose_samples(x, columns);
    double tiles = rl_product_turns(x->all->dtype, x->all->og);
    return (double)ceil_div(per * x->all->out_size, columns) * (tiles + TURNS_OF_PACKING) / (double)per;
}

/* Find the places of a block's vectors, and whether tiles that read them are quicker than those with packed panels.
 * Returns about how many turns a step over k takes with the quicker ones. */
static double choose_lines(lined *q) {
    const double copied = 0.3; /* cycles of an element of C on its way from rows of our own */
    const conv *v = &q->x->v;
    const padded_plane *p = &q->x->p;
    int64_t rows = v->out[1], width = v->out[2], whole = ceil_div(width, q->lanes) * q->lanes;
    int together = v->stride[1] == 1 && v->stride[2] == 1;
    q->line = whole;
    if (together && p->row < whole) q->line = p->row;
    q->plane = vectors_of(q, rows, width), q->vectors = v->out[0] * q->plane;
    double turns = (double)ceil_div(q->vectors, 2) * rl_product_turns(v->dtype, v->og) * (double)q->x->blocks;
    turns += copied * (double)q->x->all->out_size * (double)v->og / (double)v->rows;
    double others = fmin(turns_packed(q->x, q->s.columns), rl_conv_turns_turned(q->x->all, q->s.columns));
    q->fits = turns < others;
    return fmin(turns, others);
}

static void place_vectors(lined *q) {
    const conv *v = &q->x->v;
    const padded_plane *p = &q->x->p;
    int64_t per_row = ceil_div(v->out[2], q->lanes), *to = q->at;
    for (int64_t z = 0; z < v->out[0]; z++)
        for (int64_t i = 0; i < q->plane; i++) {
            int64_t at = z * v->stride[0] * p->room[1] * p->row;
            if (q->line == p->row && v->stride[1] == 1) /* results between rows are made, too */
                at += i * q->lanes;
            else
                at += i / per_row * v->stride[1] * p->row + i % per_row * q->lanes;
            *to++ = at * v->item;
        }
}

/* Make the vectors of one block at `own`; the last block of K writes to `to`, in rows that are so many bytes apart. */
static void multiply_lines(const lined *q, const char *planes, const char *packed, int64_t vectors, char *own, char *to,
                           int64_t to_row) {
    const conv *v = q->x->all;
    int64_t item = v->item, depth = rl_product_depth(v->rows), r;
    rl_tile t = {.a_row = item, .from_row = q->own_row, .n = q->s.columns};
    for (int64_t j = 0; j < vectors; j += 2) {
        t.b = planes + q->at[j], t.apart = j + 1 < vectors ? q->at[j + 1] - q->at[j] : 0;
        for (int64_t k0 = 0; k0 < v->rows; k0 += depth) {
            int last = k0 + depth >= v->rows;
            char *c = last ? to : own;
            t.c_row = last ? to_row : q->own_row;
            t.k = smaller(depth, v->rows - k0), t.add = k0 > 0, t.b_k = (int64_t)(intptr_t)(q->x->k_at + k0);
            for (int64_t i = 0; i < v->og; i += r) {
                r = rl_product_next_rows(v->dtype, v->og - i);
                t.m = r, t.a = packed + (k0 * v->og + i * t.k) * item, t.a_k = r * item;
                t.c = c + i * t.c_row + j * q->lanes * item, t.from = own + i * q->own_row + j * q->lanes * item;
                q->s.table(&t);
            }
        }
    }
}

/* Item: one block of positions of one group of one image. */
static int64_t forward_lines(void *ctx, int64_t begin, int64_t end) {
    const lined *q = ctx;
    const blocked *x = q->x;
    const conv *v = x->all;
    int64_t item = v->item, filled = -1, axis = x->axis, images = v->N * v->groups, n[3];
    size_t planes_size = (size_t)ceil_div((int64_t)rl_conv_planes_bytes(x, v->cg), LINE) * LINE;
    size_t bytes = planes_size + (size_t)(v->og * q->own_row);
    char *planes = rl_alloc(bytes), *own = planes + planes_size;
    if (!planes) return NO_MEMORY;
    for (int64_t t = begin; t < end; t++) {
        int64_t image = t / x->blocks, b = t % x->blocks, first = b * x->v.out[axis] * x->inner, count;
        const char *from = v->x + image * v->cg * v->in_size * item, *read = planes;
        if (q->in_place && image < images - 1) { /* nothing behind the last one may be read */
            read = from + first / x->inner * (v->in_size / v->in[axis]) * item;
            count = smaller(x->v.out[axis] * x->inner, v->out_size - first);
        } else {
            rl_conv_fill_block(x, b, from, v->cg, planes, &count, &filled);
        }
        rl_conv_size_of_block(x, count, n);
        int64_t vectors = n[0] * (axis ? vectors_of(q, n[1], n[2]) : q->plane), row = v->out_size * item;
        char *to = q->whole ? v->to + (image * v->og * v->out_size + first) * item : own;
        multiply_lines(q, read, x->packed + image % v->groups * v->og * v->rows * item, vectors, own, to,
                       q->whole ? row : q->own_row);
        if (!q->whole)
            rl_conv_put(v,
                        &(made){image, 0, v->og, first, n[0], n[1], n[2], q->own_row, q->plane * q->lanes * item,
                                q->line * item},
                        own);
    }
    rl_free(planes, bytes);
    return 0;
}

/* ---- who does it ------------------------------------------------------------------------------------------------ */

/* Item: a block of K of one group's weights. */
static int64_t pack_weights(void *ctx, int64_t begin, int64_t end) {
    const blocked *x = ctx;
    const conv *v = x->all;
    int64_t item = v->item, depth = rl_product_depth(v->rows), blocks = ceil_div(v->rows, depth);
    for (int64_t t = begin; t < end; t++) {
        int64_t at = t / blocks * v->og * v->rows * item;
        rl_product_pack_rows(v->dtype, v->og, v->rows, t % blocks * depth, v->w + at, v->rows * item, item,
                             x->packed + at);
    }
    return 0;
}

int64_t rl_conv_run_blocks(rl_range_fn fn, void *ctx, const blocked *x, int64_t per) {
    const conv *v = x->all;
    double cost = (double)v->rows * (double)(per * x->v.out_size) * (double)(v->og + 8) / 60 + 200;
    return rl_parallel_for(fn, ctx, ceil_div(v->N, per) * v->groups * x->blocks,
                           cost < 10000 ? (int64_t)(10000 / cost) : 1);
}

/* How many products there are, and of how many samples each. */
static int64_t choose_products(packed_columns *c, int64_t columns) {
    const blocked *x = c->x;
    c->per = choose_samples(x, columns), c->planes = x->all->cg * x->p.size * x->all->item;
    int64_t products = ceil_div(x->all->N, c->per) * x->all->groups * x->blocks;
    c->parallel = products < rl_num_threads();
    return products;
}

static int64_t run_packed(packed_columns *c, int64_t products) {
    const blocked *x = c->x;
    int64_t n = x->v.out_size, rc;
    size_t bytes = (size_t)(c->per * n) * sizeof(int64_t);
    if (!(c->n_at = rl_alloc(bytes))) return NO_MEMORY;
    for (int64_t j = 0; j < c->per * n; j++) c->n_at[j] = j / n * c->planes + x->n_at[j % n];
    rc = c->parallel ? forward_packed(c, 0, products) : rl_conv_run_blocks(forward_packed, c, x, c->per);
    rl_free(c->n_at, bytes);
    return rc;
}

static int64_t run_lines(lined *q) {
    blocked *x = q->x;
    const conv *v = x->all;
    size_t bytes = (size_t)q->vectors * sizeof(int64_t);
    if (!(q->at = rl_alloc(bytes))) return NO_MEMORY;
    place_vectors(q);
    /* An odd number of cache lines, so that rows are in different sets of the caches. */
    q->own_row = (ceil_div(q->vectors, 2) * q->s.columns * v->item / LINE | 1) * LINE;
    q->whole = !rl_conv_goes_on(v) && q->line == v->out[2] && x->v.out_size % q->s.columns == 0 &&
               v->out_size % q->s.columns == 0 && q->plane * q->lanes == x->v.out[1] * v->out[2];
    q->in_place = rl_conv_lies_in_place(x);
    int64_t rc = rl_conv_run_blocks(forward_lines, q, x, 1);
    rl_free(q->at, bytes);
    return rc;
}

int64_t rl_conv_by_products(const conv *v) {
    blocked x;
    lined q = {.x = &x, .s = rl_product_kernels(v->dtype)};
    q.lanes = q.s.columns / 2;
    size_t bytes = (size_t)(v->groups * v->og * v->rows * v->item);
    int64_t wanted = ceil_div(4 * rl_num_threads(), v->N * v->groups);
    int many = v->N * v->out_size >= PACKED_FROM && v->og <= MOST_PACKED_ROWS;
    /* Tiles that read planes read all weights for every two vectors. */
    int lines = many && q.s.table && v->og * v->rows * v->item <= PLANES_BYTES;
    int64_t few = larger(wanted, 2 * v->og * v->out_size * v->item / PLANES_BYTES); /* rows of C's own stay as small */
    if (!rl_conv_make_blocked(v, v->cg, lines ? few : wanted, lines ? PLANES_BYTES / 2 : PLANES_BYTES, &x))
        return NO_MEMORY;
    int rows = 0;
    if (lines) {
        double least = choose_lines(&q);
        rows = q.s.turned && rl_conv_turns_of_rows(&x) < least;
    }
    if (rows) {
        int64_t done = rl_conv_by_rows(&x);
        rl_conv_free_blocked(&x);
        return done;
    }
    if (lines && !q.fits) {
        lines = 0;
        rl_conv_free_blocked(&x);
        if (!rl_conv_make_blocked(v, v->cg, wanted, PLANES_BYTES, &x)) return NO_MEMORY;
    }
    packed_columns c = {.x = &x};
    int64_t rc = 0, products = lines ? 0 : choose_products(&c, q.s.columns);
    c.turned = !lines && rl_conv_turns_turned(v, q.s.columns) < turns_packed(&x, q.s.columns);
    if (many && !c.parallel && !c.turned) {
        x.packed = rl_alloc(bytes);
        int64_t depth = rl_product_depth(v->rows), grain = larger(1, 40000 / (v->og * depth)); /* about 10 us */
        rc = x.packed ? rl_parallel_for(pack_weights, &x, v->groups * ceil_div(v->rows, depth), grain) : NO_MEMORY;
    }
    if (rc == 0) rc = lines ? run_lines(&q) : run_packed(&c, products);
    if (x.packed) rl_free(x.packed, bytes);
    rl_conv_free_blocked(&x);
    return rc;
}
