#include <string.h>

#include "alloc.h"
#include "integers.h"
#include "pool.h"
#include "product.h"

/* bfloat16 in AMX's tiles: A and B are packed as the tiles want them, with zeros behind their edges; C is made in
 * float32 beside, in whole tiles, and rounded from there. Sums go on from one block of K to the next. */

enum {
    EDGE = 32,           /* rows and columns of a kernel's C, and terms of a step */
    STEP = 2 * 16 * 64,  /* bytes of a step of a packed panel */
    LONGEST = 2048,      /* of so many terms the sum is made at one go, */
    DEPTH = 512,         /* of more in blocks of these */
    MOST_M = 256,        /* rows of C that are then held in float32 meanwhile */
    MOST_N = 512,        /* columns, of at most 512 terms: B's panels take half a megabyte */
    CONFIGURE = 2,
    RELEASE = 3
};

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif

static struct {
    rl_tile_fn tile;
    rl_panel_fn pairs, singles, narrow;
} use;

void rl_product_use_amx(rl_tile_fn tile, rl_panel_fn pairs, rl_panel_fn singles, rl_panel_fn narrow) {
    use.pairs = pairs, use.singles = singles, use.narrow = narrow;
    use.tile = tile;
}

int rl_product_has_amx(void) { return use.tile != NULL; }

typedef struct {
    rl_product p;
    int64_t depth, held; /* terms of a block of K; rows of C that are held in float32 */
    int64_t tile_m, tile_n, tiles_m, tiles_n;
} plan;

/* ---- packing ---------------------------------------------------------------------------------------------------- */

/* A's rows by steps: 32 rows of 32 terms each, side by side. */
static void pack_a(const plan *q, const char *a, int64_t m, int64_t k, char *to) {
    int64_t rs = q->p.a_rs, cs = q->p.a_cs;
    for (int64_t l = 0; l < k; l += EDGE, to += STEP) {
        int64_t n = smaller(EDGE, k - l);
        const char *from = a + l * cs;
        if (m < EDGE || n < EDGE) memset(to, 0, STEP);
        if (cs == 2 && n == EDGE)
            for (int64_t i = 0; i < m; i++) memcpy(to + i * 64, from + i * rs, 64);
        else if (cs == 2)
            for (int64_t i = 0; i < m; i++) memcpy(to + i * 64, from + i * rs, (size_t)(2 * n));
        else
            use.singles(&(rl_panel){from, cs, rs, n, m, to, 64});
    }
}

/* Two rows of B as one of pairs; and so whole rows of a panel, `rs` bytes apart. */
CLONES static void interleave(const uint16_t *restrict x, const uint16_t *restrict y, int64_t n,
                              uint32_t *restrict to) {
    for (int64_t j = 0; j < n; j++) to[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
}
CLONES static void interleave_panel(const char *from, int64_t rs, int64_t pairs, uint32_t *restrict to) {
    for (int64_t l = 0; l < pairs; l++, from += 2 * rs, to += EDGE) {
        const uint16_t *x = (const uint16_t *)from, *y = (const uint16_t *)(from + rs);
        for (int64_t j = 0; j < EDGE; j++) to[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
    }
}

static uint16_t at(const char *p) {
    uint16_t x;
    memcpy(&x, p, 2);
    return x;
}

/* Columns of B by steps: 16 pairs of terms, of 32 columns each. */
static void pack_b(const plan *q, const char *b, int64_t n, int64_t k, char *to) {
    static const uint16_t zeros[EDGE];
    int64_t rs = q->p.b_rs, cs = q->p.b_cs, pairs = k / 2, all = ceil_div(k, EDGE) * EDGE / 2;
    if (n < EDGE)
        memset(to, 0, (size_t)(all * 128));
    else
        memset(to + pairs * 128, 0, (size_t)((all - pairs) * 128));
    if (cs == 2) {
        if (n == EDGE)
            interleave_panel(b, rs, pairs, (uint32_t *)to);
        else
            for (int64_t l = 0; l < pairs; l++)
                interleave((const uint16_t *)(b + 2 * l * rs), (const uint16_t *)(b + (2 * l + 1) * rs), n,
                           (uint32_t *)(to + l * 128));
        if (k % 2) interleave((const uint16_t *)(b + (k - 1) * rs), zeros, n, (uint32_t *)(to + pairs * 128));
        return;
    }
    if (rs == 2 && pairs)
        use.pairs(&(rl_panel){b, cs, 4, n, pairs, to, 128});
    else
        for (int64_t l = 0; l < 2 * pairs; l++)
            for (int64_t j = 0; j < n; j++) memcpy(to + l / 2 * 128 + j * 4 + l % 2 * 2, b + l * rs + j * cs, 2);
    if (k % 2)
        for (int64_t j = 0; j < n; j++) {
            uint32_t last = at(b + (k - 1) * rs + j * cs);
            memcpy(to + pairs * 128 + j * 4, &last, 4);
        }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Rows of C from where they were summed up. */
static void write_rows(const plan *q, const char *own, int64_t row, char *c, int64_t m, int64_t n) {
    const rl_product *p = &q->p;
    if (p->wide)
        for (int64_t i = 0; i < m; i++) memcpy(c + i * p->c_rs, own + i * row, (size_t)(4 * n));
    else if (p->c_cs == 2 || p->n == 1)
        use.narrow(&(rl_panel){own, 4, row, n, m, c, p->c_rs});
    else if (p->c_rs == 2 || p->m == 1)
        use.narrow(&(rl_panel){own, row, 4, m, n, c, p->c_cs});
    else
        for (int64_t j = 0; j < n; j++) use.narrow(&(rl_panel){own + 4 * j, 4, row, 1, m, c + j * p->c_cs, p->c_rs});
}

/* Rows [i0, i0 + m) and columns [j0, j0 + n) of product number `batch`. */
static void multiply_block(const plan *q, int64_t batch, int64_t i0, int64_t j0, int64_t m, int64_t n, char *room) {
    const rl_product *p = &q->p;
    const char *a = p->a + batch * p->a_bs + i0 * p->a_rs, *b = p->b + batch * p->b_bs + j0 * p->b_cs;
    char *c = p->c ? p->c + batch * p->c_bs + i0 * p->c_rs + j0 * p->c_cs : NULL;
    char *packed_b = room + q->depth * EDGE * 2, *own = packed_b + q->depth * 2 * q->tile_n;
    int64_t row = 4 * q->tile_n;
    char *piece = p->then && !p->c ? own + q->held * row : NULL; /* of C, which has no place */
    for (int64_t k0 = 0; k0 < p->k; k0 += q->depth) {
        int64_t depth = smaller(q->depth, p->k - k0);
        rl_tile t = {.k = ceil_div(depth, EDGE), .add = k0 > 0, .c_row = row, .a = room};
        for (int64_t i = 0; i < m; i += EDGE) {
            char *strip = own + i % q->held * row;
            pack_a(q, a + i * p->a_rs + k0 * p->a_cs, smaller(EDGE, m - i), depth, room);
            for (int64_t j = 0; j < n; j += EDGE) {
                char *panel = packed_b + j * q->depth * 2;
                if (i == 0) pack_b(q, b + k0 * p->b_rs + j * p->b_cs, smaller(EDGE, n - j), depth, panel);
                t.b = panel, t.c = strip + j * 4;
                use.tile(&t);
            }
            if (k0 + depth < p->k) continue;
            int64_t rows = smaller(EDGE, m - i);
            write_rows(q, strip, row, piece ? piece : c + i * p->c_rs, rows, n);
            if (p->then) rl_product_go_on(p, batch, i0 + i, j0, rows, n, piece, p->c_rs, p->c_cs);
        }
    }
}

static int64_t run_tiles(void *ctx, int64_t begin, int64_t end) {
    static const struct {
        uint8_t palette, start, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } whole = {.palette = 1,
               .bytes = {64, 64, 64, 64, 64, 64, 64, 64},
               .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const plan *q = ctx;
    const rl_product *p = &q->p;
    int64_t tiles = q->tiles_m * q->tiles_n;
    size_t bytes = (size_t)(q->depth * EDGE * 2 + q->depth * 2 * q->tile_n + 4 * q->held * q->tile_n);
    if (p->then && !p->c) bytes += (size_t)(EDGE * p->c_rs);
    char *room = rl_alloc(bytes);
    if (!room) return RL_NO_MEMORY;
    use.tile(&(rl_tile){.a = (const char *)&whole, .add = CONFIGURE});
    for (int64_t t = begin; t < end; t++) {
        int64_t batch = t / tiles, i = t % tiles / q->tiles_n * q->tile_m, j = t % q->tiles_n * q->tile_n;
        multiply_block(q, batch, i, j, smaller(q->tile_m, p->m - i), smaller(q->tile_n, p->n - j), room);
    }
    use.tile(&(rl_tile){.add = RELEASE});
    rl_free(room, bytes);
    return 0;
}

int rl_product_run_amx(const rl_product *given, int parallel) {
    plan q = {.p = *given};
    rl_product *p = &q.p;
    double ns = (double)p->m * (double)p->n * (double)p->k / 300 + 200; /* decides only how work is cut */
    if (p->then) ns += p->then->ns * (double)p->m * (double)p->n;
    int64_t threads = parallel && !rl_in_parallel() ? rl_num_threads() : 1;
    if (ns * (double)p->batch < rl_shared_from_ns()) threads = 1;
    int at_one_go = p->k <= LONGEST;
    q.depth = at_one_go ? ceil_div(p->k, EDGE) * EDGE : DEPTH;
    int64_t most_n = smaller(MOST_N, MOST_N * DEPTH / q.depth / EDGE * EDGE);
    q.tile_m = ceil_div(p->m, EDGE) * EDGE, q.tile_n = smaller(most_n, ceil_div(p->n, EDGE) * EDGE);
    if (!at_one_go) q.tile_m = smaller(MOST_M, q.tile_m);
    int64_t wanted = threads > 1 ? smaller(2 * threads, larger(1, (int64_t)(ns * (double)p->batch / 10000))) : 1;
    while (p->batch * ceil_div(p->m, q.tile_m) * ceil_div(p->n, q.tile_n) < wanted &&
           (q.tile_m > EDGE || q.tile_n > EDGE))
        if (q.tile_m > EDGE && (q.tile_m >= q.tile_n || q.tile_n <= EDGE))
            q.tile_m = ceil_div(q.tile_m / 2, EDGE) * EDGE;
        else
            q.tile_n = ceil_div(q.tile_n / 2, EDGE) * EDGE;
    q.held = at_one_go ? EDGE : q.tile_m;
    if (p->then && !p->c) p->c_cs = p->wide ? 4 : 2, p->c_rs = p->c_cs * q.tile_n + 64;
    q.tiles_m = ceil_div(p->m, q.tile_m), q.tiles_n = ceil_div(p->n, q.tile_n);
    int64_t tiles = p->batch * q.tiles_m * q.tiles_n;
    if (threads == 1 || tiles == 1) return (int)run_tiles(&q, 0, tiles);
    ns = ns * (double)p->batch / (double)tiles;
    return (int)rl_parallel_for(run_tiles, &q, tiles, ns < 10000 ? (int64_t)(10000 / ns) : 1);
}
