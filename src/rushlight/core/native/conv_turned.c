/* Convolutions of few positions, as products C^T = B^T A^T: tiles whose rows are positions and whose columns are
 * channels (docs/design/products.md). */
#include <math.h>

#include "alloc.h"
#include "conv_parts.h"
#include "pool.h"
#include "product.h"
#include "product_packing.h"

double rl_conv_turns_turned(const conv *v, int64_t columns) {
    enum { MOST = 1024, A_TURN = 4 }; /* positions whose sums stay in a cache; so many are packed in a turn */
    if (v->N > 1 || v->out_size > MOST) return INFINITY;
    return (double)ceil_div(v->og, columns) * (rl_product_turns(v->dtype, v->out_size) + TURNS_OF_PACKING) +
           (double)(v->out_size + v->og) / A_TURN;
}

typedef struct {
    const rl_product *p;
    rl_product_parts s;
    int64_t panels; /* of channels, of an item */
} turned;

/* Item: some panels of channels. Each packs the positions for itself. */
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
