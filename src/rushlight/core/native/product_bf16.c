#include <string.h>

#include "alloc.h"
#include "integers.h"
#include "pool.h"
#include "product.h"

/* bfloat16 by pairs of terms, in AMX's tiles or by dot products of AVX512-BF16: B is packed as these need it, with
 * zeros behind its edges, and so is A unless it has that layout; C is made in our own memory in float32, in whole tiles, and rounded from there. Sums continue from one
 * block of K to the next. */

enum {
    EDGE = RL_BF16_EDGE,
    STEP = 2 * 16 * 64, /* bytes of a step of a packed panel */
    LINE = 64,
    PAGE = 4096,
    /* Up to so many terms are one block of K. More are cut into blocks of at most DEPTH, so that a strip of A stays in
     * the first-level cache while panels of B come from the second. */
    AT_ONCE = 512,
    DEPTH = 256,
    /* Columns of a part of C, so many that all blocks of B stay in the second-level cache. If that would be too few, B
     * is packed again for every MOST_M_AGAIN rows. */
    MOST_N = 512,
    LEAST_N = 256,
    MOST_M = 128, /* rows of C that are held in float32 */
    MOST_M_AGAIN = 256,
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
    rl_panel_fn pairs, narrow;
} use;

void rl_product_use_bf16(rl_tile_fn tile, rl_panel_fn pairs, rl_panel_fn narrow) {
    use.pairs = pairs, use.narrow = narrow;
    use.tile = tile;
}

int rl_product_has_bf16(void) { return use.tile != NULL; }

typedef struct {
    rl_product p;
    int64_t depth, held; /* terms of a block of K; rows of C that are held in float32 */
    int keep_b, direct;  /* all blocks of B are packed at once; A is read in place */
    int64_t tile_m, tile_n, tiles_m, tiles_n;
    int64_t a_bytes, b_bytes, c_bytes, row; /* row: bytes of a row of the held sums */
} plan;

/* ---- packing ---------------------------------------------------------------------------------------------------- */

/* Two rows of 16-bit elements as one of pairs, in panels of 32 columns that lie `panel` bytes apart. Rows are
 * prefetched `ahead` bytes ahead: these runs are too short for the processor's prefetcher. */
CLONES static void interleave(const char *from, const char *next, int64_t n, char *to, int64_t panel, uintptr_t ahead) {
    const uint16_t *x = (const uint16_t *)from, *y = (const uint16_t *)next;
    for (; n >= EDGE; n -= EDGE, x += EDGE, y += EDGE, to += panel) {
        uint32_t *restrict at = (uint32_t *)to;
        __builtin_prefetch((const void *)((uintptr_t)x + ahead));
        __builtin_prefetch((const void *)((uintptr_t)y + ahead));
        for (int64_t j = 0; j < EDGE; j++) at[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
    }
    for (int64_t j = 0; j < n; j++) ((uint32_t *)to)[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
}

/* How many bytes ahead rows are prefetched that are `row` bytes apart and have n columns: so many as take about 500
 * cycles, the time of a third-level cache. */
static uintptr_t far_enough(int64_t n, int64_t row) { return 2 * (uintptr_t)row * (uintptr_t)ceil_div(2048, n); }

/* Element by element: `step` bytes from one of the n elements to the next, as tiles want them. */
static void gather(const char *from, int64_t stride, int64_t n, char *to, int64_t step) {
    for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + i * stride, 2);
}

/* Pack A's rows in strips of 32, and these by steps of 32 terms each. Rows that are contiguous along k are copied;
 * columns that are contiguous along m are combined in pairs of terms, which are transposed. */
static void pack_a(const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to) {
    static const char zeros[2 * MOST_M_AGAIN];
    char pairs[EDGE / 2 * 4 * MOST_M_AGAIN];
    int64_t strip = ceil_div(k, EDGE) * STEP;
    if (m % EDGE) memset(to + m / EDGE * strip, 0, (size_t)strip);
    if (k % EDGE)
        for (int64_t i = 0; i < m; i += EDGE) memset(to + (i / EDGE + 1) * strip - STEP, 0, STEP);
    if (cs == 2 || rs != 2) {
        for (int64_t i = 0; i < m; i++) {
            char *at = to + i / EDGE * strip + i % EDGE * LINE;
            for (int64_t l = 0; l < k; l += EDGE, at += STEP) {
                int64_t n = smaller(EDGE, k - l);
                const char *from = a + i * rs + l * cs;
                if (cs != 2)
                    gather(from, cs, n, at, 2);
                else if (n == EDGE)
                    memcpy(at, from, LINE);
                else
                    memcpy(at, from, (size_t)(2 * n));
            }
        }
        return;
    }
    uintptr_t ahead = far_enough(m, cs);
    for (int64_t l = 0; l < k; l += EDGE, to += STEP) {
        int64_t n = smaller(EDGE, k - l);
        const char *from = a + l * cs;
        for (int64_t t = 0; t < n; t += 2, from += 2 * cs)
            interleave(from, t + 1 < n ? from + cs : zeros, m, pairs + t / 2 * 4 * m, 4 * EDGE, ahead);
        for (int64_t i = 0; i < m; i += EDGE)
            use.pairs(&(rl_panel){pairs + 4 * i, 4 * m, 4, ceil_div(n, 2), smaller(EDGE, m - i),
                                  to + i / EDGE * strip, LINE});
    }
}

/* Pack columns of B in panels of 32, and these by steps of 16 pairs of terms, each for all columns. */
static void pack_b(const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to) {
    static const char zeros[2 * MOST_N];
    int64_t pairs = k / 2, panel = ceil_div(k, EDGE) * STEP;
    if (n % EDGE) memset(to + n / EDGE * panel, 0, (size_t)panel);
    if (k % EDGE)
        for (int64_t j = 0; j < n; j += EDGE) memset(to + (j / EDGE + 1) * panel - STEP, 0, STEP);
    if (cs == 2) {
        uintptr_t ahead = far_enough(n, rs);
        for (int64_t l = 0; l < pairs; l++, b += 2 * rs) interleave(b, b + rs, n, to + l * 4 * EDGE, panel, ahead);
        if (k % 2) interleave(b, zeros, n, to + pairs * 4 * EDGE, panel, 0);
        return;
    }
    for (int64_t j = 0; j < n; j += EDGE, to += panel) {
        int64_t count = smaller(EDGE, n - j), first = 0;
        const char *from = b + j * cs;
        if (rs == 2 && pairs) {
            use.pairs(&(rl_panel){from, cs, 4, count, pairs, to, 4 * EDGE});
            first = 2 * pairs;
        }
        for (int64_t l = first; l < k; l++) gather(from + l * rs, cs, count, to + l / 2 * 4 * EDGE + l % 2 * 2, 4);
    }
}

/* ---- for other loops --------------------------------------------------------------------------------------------- */

void rl_bf16_open(void) {
    static const struct {
        uint8_t palette, start, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } whole = {.palette = 1,
               .bytes = {64, 64, 64, 64, 64, 64, 64, 64},
               .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    use.tile(&(rl_tile){.a = (const char *)&whole, .add = CONFIGURE});
}

void rl_bf16_close(void) { use.tile(&(rl_tile){.add = RELEASE}); }

int64_t rl_bf16_bytes(int64_t n, int64_t k) { return ceil_div(n, EDGE) * ceil_div(k, EDGE) * STEP; }

void rl_bf16_rows(const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to) {
    for (int64_t i = 0; i < m; i += EDGE)
        pack_a(a + i * rs, rs, cs, smaller(EDGE, m - i), k, to + rl_bf16_bytes(i, k));
}

void rl_bf16_columns(const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to) {
    for (int64_t j = 0; j < n; j += EDGE)
        pack_b(b + j * cs, rs, cs, smaller(EDGE, n - j), k, to + rl_bf16_bytes(j, k));
}

void rl_bf16_tile(const char *a, const char *b, int64_t m, int64_t k, char *c, int64_t c_row) {
    use.tile(&(rl_tile){.m = m, .k = ceil_div(k, EDGE), .a = a, .a_row = LINE, .a_k = STEP, .b = b, .c = c, .c_row = c_row});
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Copy rows of C from the memory of the sums. */
static void write_rows(const plan *q, const char *own, char *c, int64_t m, int64_t n) {
    const rl_product *p = &q->p;
    int64_t row = q->row;
    if (p->wide)
        for (int64_t i = 0; i < m; i++) memcpy(c + i * p->c_rs, own + i * row, (size_t)(4 * n));
    else if (p->c_cs == 2 || p->n == 1)
        for (int64_t i = 0; i < m; i++) use.narrow(&(rl_panel){own + i * row, 4, row, n, 1, c + i * p->c_rs, 0});
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
    char *packed_b = room + q->a_bytes, *own = packed_b + q->b_bytes;
    char *piece = p->then && !p->c ? own + q->c_bytes : NULL; /* the rows of a C that has no place */
    for (int64_t g = 0; g < m; g += q->held) {
        int64_t end = smaller(m, g + q->held);
        for (int64_t k0 = 0; k0 < p->k; k0 += q->depth) {
            int64_t depth = smaller(q->depth, p->k - k0), strip = ceil_div(depth, EDGE) * STEP;
            rl_tile t = {.k = strip / STEP, .add = k0 > 0, .c_row = q->row};
            int direct = q->direct && depth % EDGE == 0;
            char *blocks = packed_b + (q->keep_b ? k0 * 2 * q->tile_n : 0);
            if (g == 0 || !q->keep_b) pack_b(b + k0 * p->b_rs, p->b_rs, p->b_cs, n, depth, blocks);
            for (int64_t i = g; i < end; i += EDGE) {
                int64_t rows = smaller(EDGE, m - i);
                const char *from = a + i * p->a_rs + k0 * p->a_cs;
                t.m = rows, t.a = from, t.a_row = p->a_rs, t.a_k = LINE;
                if (!direct || rows < EDGE) {
                    /* Strips that are contiguous along m are packed together, so that several lines of each k are read.
                       */
                    if (q->direct || i == g)
                        pack_a(from, p->a_rs, p->a_cs, q->direct ? rows : end - g, depth, room);
                    t.a = room + (q->direct ? 0 : (i - g) / EDGE * strip), t.a_row = LINE, t.a_k = STEP;
                }
                char *sums = own + (i - g) * q->row;
                for (int64_t j = 0; j < n; j += EDGE) {
                    t.b = blocks + j / EDGE * strip, t.c = sums + j * 4;
                    use.tile(&t);
                }
                if (k0 + depth < p->k) continue;
                write_rows(q, sums, piece ? piece : c + i * p->c_rs, rows, n);
                if (p->then) rl_product_go_on(p, batch, i0 + i, j0, rows, n, piece, p->c_rs, p->c_cs);
            }
        }
    }
}

static int64_t run_tiles(void *ctx, int64_t begin, int64_t end) {
    const plan *q = ctx;
    const rl_product *p = &q->p;
    int64_t tiles = q->tiles_m * q->tiles_n;
    size_t bytes = (size_t)(q->a_bytes + q->b_bytes + q->c_bytes);
    if (p->then && !p->c) bytes += (size_t)(EDGE * p->c_rs);
    char *room = rl_alloc(bytes);
    if (!room) return RL_NO_MEMORY;
    rl_bf16_open();
    for (int64_t t = begin; t < end; t++) {
        int64_t batch = t / tiles, i = t % tiles / q->tiles_n * q->tile_m, j = t % q->tiles_n * q->tile_n;
        multiply_block(q, batch, i, j, smaller(q->tile_m, p->m - i), smaller(q->tile_n, p->n - j), room);
    }
    rl_bf16_close();
    rl_free(room, bytes);
    return 0;
}

/* Whether rows of A are read in place: their terms are contiguous in whole cache lines, and the rows of a strip do not
 * share sets of the first-level cache. */
static int lies_well(const rl_product *p, int64_t depth) {
    int64_t apart = (p->a_rs < 0 ? -p->a_rs : p->a_rs) % PAGE / LINE, same = apart ? apart & -apart : PAGE / LINE;
    return p->a_cs == 2 && p->a_rs % LINE == 0 && (uintptr_t)p->a % LINE == 0 && p->a_bs % LINE == 0 &&
           same * LINE <= 2 * depth;
}

/* The edge, in whole tiles, that cuts `size` into equal pieces of at most `most`, which is in whole tiles, too. */
static int64_t even(int64_t size, int64_t most) {
    return ceil_div(ceil_div(size, ceil_div(size, most)), EDGE) * EDGE;
}

static void choose_blocks(plan *q) {
    const rl_product *p = &q->p;
    int64_t room = rl_product_cache_room(), line = 2 * ceil_div(p->k, EDGE) * EDGE;
    int64_t most_n = smaller(MOST_N, (room + room / 2) / line / EDGE * EDGE);
    q->depth = even(p->k, p->k <= AT_ONCE ? AT_ONCE : DEPTH), q->keep_b = most_n >= LEAST_N || most_n >= p->n;
    q->tile_m = ceil_div(p->m, EDGE) * EDGE, q->tile_n = even(p->n, q->keep_b ? most_n : MOST_N);
}

int rl_product_run_bf16(const rl_product *given, int parallel) {
    plan q = {.p = *given};
    rl_product *p = &q.p;
    double ns = (double)p->m * (double)p->n * (double)p->k / 300 + 200; /* this decides only how work is cut */
    if (p->then) ns += p->then->ns * (double)p->m * (double)p->n;
    int64_t threads = parallel && !rl_in_parallel() ? rl_num_threads() : 1;
    if (ns * (double)p->batch < rl_shared_from_ns(ns * (double)p->batch)) threads = 1;
    choose_blocks(&q);
    int64_t wanted = threads > 1 ? smaller(2 * threads, larger(1, (int64_t)(ns * (double)p->batch / 10000))) : 1;
    while (p->batch * ceil_div(p->m, q.tile_m) * ceil_div(p->n, q.tile_n) < wanted &&
           (q.tile_m > EDGE || q.tile_n > EDGE))
        if (q.tile_m > EDGE && (q.tile_m >= q.tile_n || q.tile_n <= EDGE))
            q.tile_m = ceil_div(q.tile_m / 2, EDGE) * EDGE;
        else
            q.tile_n = ceil_div(q.tile_n / 2, EDGE) * EDGE;
    q.direct = lies_well(p, q.depth);
    q.held = smaller(q.tile_m, q.keep_b ? MOST_M : MOST_M_AGAIN);
    q.row = 4 * q.tile_n + LINE; /* rows do not share sets of a cache */
    q.a_bytes = (q.direct ? EDGE : q.held) * q.depth * 2;
    q.b_bytes = (q.keep_b ? ceil_div(p->k, q.depth) : 1) * q.depth * 2 * q.tile_n, q.c_bytes = q.held * q.row;
    if (p->then && !p->c) p->c_cs = p->wide ? 4 : 2, p->c_rs = p->c_cs * q.tile_n + LINE;
    q.tiles_m = ceil_div(p->m, q.tile_m), q.tiles_n = ceil_div(p->n, q.tile_n);
    int64_t tiles = p->batch * q.tiles_m * q.tiles_n;
    if (threads == 1 || tiles == 1) return (int)run_tiles(&q, 0, tiles);
    ns = ns * (double)p->batch / (double)tiles;
    return (int)rl_parallel_for(run_tiles, &q, tiles, ns < 10000 ? (int64_t)(10000 / ns) : 1);
}
