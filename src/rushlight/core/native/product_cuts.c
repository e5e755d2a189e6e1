/* How a product is turned and cut, by counting what its tiles do. */
#include "product_cuts.h"

#include <unistd.h>

#include "integers.h"

static void swap64(int64_t *x, int64_t *y) {
    int64_t t = *x;
    *x = *y, *y = t;
}

/* About how many cycles a product takes: what its tiles do, their empty columns included, and the way of C from
 * aside. */
static double cycles(const rl_product *p, int64_t m, int64_t n, int64_t k, int aside) {
    double panels = (double)ceil_div(n, rl_product_kernels(p->dtype).columns);
    double tiles = rl_product_turns(p->dtype, m) * panels * (double)k;
    return tiles + (aside ? 100 + 0.5 * (double)m * (double)n : 0);
}

/* Whether to make C^T = B^T A^T: where C's columns are contiguous, or C is too narrow for a tile. */
int rl_is_better_turned(const rl_product *p) {
    int64_t item = rl_product_kernels(p->dtype).item;
    return cycles(p, p->m, p->n, p->k, p->c_cs != item && p->n > 1) >
           cycles(p, p->n, p->m, p->k, p->c_rs != item && p->m > 1);
}

/* About how many cycles it takes to pack the operands, where both are packed. The tiles pack a B whose rows are
 * contiguous. */
static double packing(const rl_product *p) {
    const double rows = 1, columns = 0.1;
    double of_b = p->b_cs == rl_product_kernels(p->dtype).item ? columns : rows;
    return (double)p->k * (rows * (double)p->m + of_b * (double)p->n);
}

/* The same where operands lie in memory, too: a gradient by weights has rows of A side by side, and a B that is smaller
 * than A. Few rows or columns are read where they lie; half types are converted whichever way. */
int rl_is_better_turned_as_it_lies(const rl_product *p) {
    rl_product_parts s = rl_product_kernels(p->dtype);
    if (s.narrow || smaller(p->m, p->n) <= 2 * s.columns) return rl_is_better_turned(p);
    rl_product other = *p;
    rl_product_turn(&other);
    return cycles(p, p->m, p->n, p->k, p->c_cs != s.item) + packing(p) >
           cycles(&other, other.m, other.n, other.k, other.c_cs != s.item) + packing(&other);
}

void rl_product_turn(rl_product *p) {
    const char *a = p->a;
    p->a = p->b, p->b = a;
    swap64(&p->m, &p->n);
    swap64(&p->a_rs, &p->b_cs);
    swap64(&p->a_cs, &p->b_rs);
    swap64(&p->a_bs, &p->b_bs);
    swap64(&p->c_rs, &p->c_cs);
}

/* Into how many strips to cut `panels` of columns, at most `most`, so that the thread with most of them has as few as
 * can be. */
int64_t rl_best_strips(int64_t panels, int64_t batch, int64_t most, int64_t threads) {
    int64_t best = most, least = INT64_MAX;
    for (int64_t strips = most; strips >= threads; strips--) {
        int64_t width = ceil_div(panels, strips);
        int64_t share = ceil_div(batch * ceil_div(panels, width), threads) * width;
        if (share < least) least = share, best = strips;
    }
    return best;
}

/* How many turns a term takes of the thread with most to do, where each product is cut by_m times by_n. Of a panel that
 * is half empty a vector is multiplied. */
double rl_longest_share(const rl_product *p, int64_t by_m, int64_t by_n, int64_t threads) {
    rl_product_parts s = rl_product_kernels(p->dtype);
    int64_t columns = s.columns, tile_m = ceil_div(ceil_div(p->m, by_m), s.rows) * s.rows;
    int64_t tile_n = ceil_div(ceil_div(p->n, by_n), columns) * columns, tiles_n = ceil_div(p->n, tile_n);
    int64_t tiles = ceil_div(p->m, tile_m) * tiles_n, all = p->batch * tiles;
    double longest = 0;
    for (int64_t thread = 0; thread < threads; thread++) {
        double turns = 0;
        for (int64_t t = all * thread / threads; t < all * (thread + 1) / threads; t++) {
            int64_t m = smaller(tile_m, p->m - t % tiles / tiles_n * tile_m);
            int64_t n = smaller(tile_n, p->n - t % tiles_n * tile_n);
            turns += rl_product_turns(p->dtype, m) * (double)ceil_div(2 * n, columns) / 2;
        }
        if (turns > longest) longest = turns;
    }
    return longest;
}

int64_t rl_product_cache_room(void) {
    static int64_t known;
    if (!known) {
        long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
        known = size >= (128 << 10) ? size / 2 : 256 << 10;
    }
    return known;
}
