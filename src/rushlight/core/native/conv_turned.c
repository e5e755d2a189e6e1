/* Convolutions as products C^T = B^T A^T: tiles whose rows are positions and whose columns are output channels
 * (docs/design/products.md). */
#include <math.h>

#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"
#include "product.h"
#include "product_packing.h"

/* ---- few positions of a single image, which are packed ---------------------------------------------------------- */

double rl_conv_turns_turned(const conv *v, int64_t columns) {
    enum { MOST = 1024, A_TURN = 4 }; /* positions whose sums stay in a cache; so many are packed at a time */
    if (v->N > 1 || v->out_size > MOST) return INFINITY;
    return (double)ceil_div(v->og, columns) * (rl_product_turns(v->dtype, v->out_size) + TURNS_OF_PACKING) +
           (double)(v->out_size + v->og) / A_TURN;
}

typedef struct {
    const rl_product *p;
    rl_product_parts s;
    int64_t panels; /* of channels, of an item */
} turned;

/* Item: some panels of channels. Each item packs the positions for itself. */
static int64_t turned_panels(void *ctx, int64_t begin, int64_t end) {
    const turned *q = ctx;
    const rl_product *p = q->p;
    int64_t item = q->s.item, columns = q->s.columns, row = columns * item, depth = rl_product_depth(p->k), r;
    int64_t a_bytes = ceil_div(p->n * depth * item + RL_SLACK, LINE) * LINE, b_bytes = depth * row;
    size_t bytes = (size_t)(a_bytes + b_bytes + q->panels * p->n * row);
    char *a = rl_alloc(bytes), *b = a + a_bytes, *sums = b + b_bytes;
    if (!a) return NO_MEMORY;
    for (int64_t t = begin; t < end; t++) {
        int64_t first = t * q->panels * columns, last = smaller(p->m, first + q->panels * columns);
        for (int64_t k0 = 0; k0 < p->k; k0 += depth) {
            int64_t terms = smaller(depth, p->k - k0);
            for (int64_t i = 0; i < p->n; i += r) {
                r = rl_product_next_rows(p->dtype, p->n - i);
                rl_pack_gathered(p->gather, p->b, item, r, k0, terms, i, r, a + i * terms * item);
            }
            for (int64_t j = first; j < last; j += columns) {
                rl_tile tile = {.k = terms, .n = smaller(columns, last - j), .add = k0 > 0, .a_row = item};
                tile.b = b, tile.b_k = tile.c_row = tile.from_row = row;
                q->s.pack(&(rl_panel){p->a + j * p->a_rs + k0 * p->a_cs, p->a_rs, p->a_cs, tile.n, terms, b, row});
                for (int64_t i = 0; i < p->n; i += tile.m) {
                    tile.m = rl_product_next_rows(p->dtype, p->n - i);
                    tile.a = a + i * terms * item, tile.a_k = tile.m * item;
                    tile.from = tile.c = sums + ((j - first) * p->n + i * columns) * item;
                    q->s.tile(&tile);
                }
            }
        }
        for (int64_t j = first; j < last; j += columns)
            q->s.pack(&(rl_panel){sums + (j - first) * p->n * item, row, item, p->n, smaller(columns, last - j),
                                  p->c + j * p->c_rs, p->c_rs});
    }
    rl_free(a, bytes);
    return 0;
}

int64_t rl_conv_multiply_turned(const rl_product *p, int parallel) {
    turned q = {.p = p, .s = rl_product_kernels(p->dtype)};
    int64_t panels = ceil_div(p->m, q.s.columns);
    q.panels = ceil_div(panels, parallel ? rl_num_threads() : 1);
    return rl_parallel_for(turned_panels, &q, ceil_div(panels, q.panels), 1);
}

/* ---- rows of positions, which are read where they lie ----------------------------------------------------------- */

/* Neighbouring positions are contiguous in the planes, for every channel and tap: a tile takes some positions of a row,
 * and the kernel has a table of where these begin. So only the weights are packed, and rows of any width are cut into
 * tiles without columns that do not exist. Sums are in panels of our own, and are transposed when they are complete. */
typedef struct {
    blocked *x;
    rl_product_parts s;
    char *weights; /* the weights of each group in panels of channels, one behind the other, for all of K */
    int64_t panels, panel, sums; /* of a group; bytes of one, and of a panel's sums */
    int in_place;                /* the image itself has the planes */
} by_rows;

double rl_conv_turns_of_rows(const blocked *x) {
    const double turned = 0.65; /* cycles of an element of C on its way from our own panels */
    const conv *v = x->all;
    int64_t panels = ceil_div(v->og, rl_product_kernels(v->dtype).columns);
    double tiles = (double)(v->out_size / v->out[2]) * rl_product_turns(v->dtype, v->out[2]) * (double)panels;
    return tiles + turned * (double)v->out_size * (double)v->og / (double)v->rows;
}

/* Item: a panel of a group's channels. */
static int64_t pack_panels(void *ctx, int64_t begin, int64_t end) {
    const by_rows *q = ctx;
    const conv *v = q->x->all;
    int64_t columns = q->s.columns, row = columns * v->item;
    for (int64_t t = begin; t < end; t++) {
        int64_t group = t / q->panels, first = t % q->panels * columns, count = smaller(columns, v->og - first);
        const char *from = v->w + (group * v->og + first) * v->rows * v->item;
        char *to = q->weights + t * q->panel;
        if (count < columns) memset(to, 0, (size_t)q->panel);
        q->s.pack(&(rl_panel){from, v->rows * v->item, v->item, count, v->rows, to, row});
    }
    return 0;
}

/* Make the sums of panel p of channels at `sums`, for the positions of a block, n along the axes. In the end they go to
 * `to`, in rows that are so many bytes apart: the last block of K prefetches these lines. */
static void multiply_rows(const by_rows *q, const char *planes, const char *weights, const int64_t *n, int64_t p,
                          char *sums, char *to, int64_t to_row) {
    const conv *v = q->x->all;
    int64_t row = q->s.columns * v->item, depth = rl_product_depth(v->rows), lines = n[0] * n[1];
    rl_tile t = {.n = q->s.columns, .b_k = row, .c_row = row, .from_row = row};
    for (int64_t k0 = 0; k0 < v->rows; k0 += depth) {
        t.k = smaller(depth, v->rows - k0), t.add = k0 > 0;
        t.b = weights + k0 * row, t.a_k = (int64_t)(intptr_t)(q->x->k_at + k0);
        char *next = to + larger(0, smaller(p * q->s.columns, v->og - t.k)) * to_row;
        int asks = k0 + t.k == v->rows && !rl_conv_goes_on(v);
        for (int64_t line = 0, at = 0; line < lines; line++)
            for (int64_t i = 0; i < n[2]; i += t.m, at += t.m) {
                t.m = rl_product_next_rows(v->dtype, n[2] - i);
                t.a = planes + q->x->n_at[at], t.c = sums + at * row, t.from = t.c;
                if (asks) t.next = next + at * v->item, t.next_k = to_row;
                q->s.turned(&t);
            }
    }
}

/* Item: one block of positions of one group of one image. */
static int64_t forward_rows(void *ctx, int64_t begin, int64_t end) {
    const by_rows *q = ctx;
    const blocked *x = q->x;
    const conv *v = x->all;
    int goes_on = rl_conv_goes_on(v);
    int64_t item = v->item, columns = q->s.columns, filled = -1, axis = x->axis, n[3];
    size_t planes_size = (size_t)ceil_div((int64_t)rl_conv_planes_bytes(x, v->cg), LINE) * LINE;
    size_t bytes = planes_size + (size_t)(q->panels * q->sums);
    size_t own_size = goes_on ? (size_t)(v->og * x->v.out_size * item) : 0;
    char *planes = rl_alloc(bytes + own_size), *sums = planes + planes_size, *own = planes + bytes;
    if (!planes) return NO_MEMORY;
    for (int64_t t = begin; t < end; t++) {
        int64_t image = t / x->blocks, b = t % x->blocks, first = b * x->v.out[axis] * x->inner, count;
        const char *from = v->x + image * v->cg * v->in_size * item, *read = planes;
        if (q->in_place) {
            read = from + first / x->inner * (v->in_size / v->in[axis]) * item;
            count = smaller(x->v.out[axis] * x->inner, v->out_size - first);
        } else {
            rl_conv_fill_block(x, b, from, v->cg, planes, &count, &filled);
        }
        rl_conv_size_of_block(x, count, n);
        char *to = goes_on ? own : v->to + (image * v->og * v->out_size + first) * item;
        int64_t to_row = (goes_on ? count : v->out_size) * item;
        for (int64_t p = 0; p < q->panels; p++) {
            const char *weights = q->weights + (image % v->groups * q->panels + p) * q->panel;
            multiply_rows(q, read, weights, n, p, sums + p * q->sums, to, to_row);
        }
        for (int64_t p = 0; p < q->panels; p++)
            q->s.pack(&(rl_panel){sums + p * q->sums, columns * item, item, count,
                                  smaller(columns, v->og - p * columns), to + p * columns * to_row, to_row});
        if (goes_on)
            rl_conv_put(v,
                        &(made){image, 0, v->og, first, n[0], n[1], n[2], to_row, n[1] * n[2] * item, n[2] * item},
                        own);
    }
    rl_free(planes, bytes + own_size);
    return 0;
}

int64_t rl_conv_by_rows(blocked *x) {
    const conv *v = x->all;
    by_rows q = {.x = x, .s = rl_product_kernels(v->dtype), .in_place = rl_conv_lies_in_place(x)};
    q.panels = ceil_div(v->og, q.s.columns), q.panel = v->rows * q.s.columns * v->item;
    q.sums = x->v.out_size * q.s.columns * v->item;
    size_t bytes = (size_t)(v->groups * q.panels * q.panel);
    if (!(q.weights = rl_alloc(bytes))) return NO_MEMORY;
    int64_t grain = larger(1, 40000 / (q.s.columns * v->rows)); /* about 10 us */
    int64_t rc = rl_parallel_for(pack_panels, &q, v->groups * q.panels, grain);
    if (rc == 0) rc = rl_conv_run_blocks(forward_rows, &q, x, 1);
    rl_free(q.weights, bytes);
    return rc;
}
