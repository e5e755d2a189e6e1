#include <string.h>

#include "alloc.h"
#include "clones.h"
#include "integers.h"
#include "pool.h"
#include "product_tiny.h"

/* Products of short types by words: a word of four bytes holds neighbours along K, two of bfloat16 or four of int8, and
 * one instruction adds all their products to a sum (AMX, AVX512-BF16, AVX512-VNNI and the like). B is packed as kernels
 * need it, with zeros behind its edges, and so is A unless it has that layout; C is made in our own memory in float32
 * or int32, in whole tiles, and narrowed from there. Sums continue from one block of K to the next. */

enum {
    EDGE = RL_BF16_EDGE,
    STEP = 2 * 16 * 64, /* bytes of a step of a packed panel */
    LINE = 64,
    PAGE = 4096,
    WORD = 4,
    /* Up to so many bytes of terms are one block of K. More are cut into blocks of at most DEPTH, so that a strip of A
     * stays in the first-level cache while panels of B come from the second. */
    AT_ONCE = 1024,
    DEPTH = 512,
    /* Columns of a part of C, so many that all blocks of B stay in the second-level cache. If that would be too few, B
     * is packed again for every MOST_M_AGAIN rows. */
    MOST_N = 512,
    LEAST_N = 256,
    MOST_M = 128, /* rows of C that are held in float32 */
    MOST_M_AGAIN = 256,
    CONFIGURE = 2,
    RELEASE = 3
};

/* The kernels for a short type: `turn` transposes words; an element has `item` bytes, a word `terms` of them. */
typedef struct {
    rl_tile_fn tile;
    rl_panel_fn turn, narrow;
    int64_t item, terms;
} words;

static words of_bf16 = {.item = 2, .terms = 2};

void rl_product_use_bf16(rl_tile_fn tile, rl_panel_fn turn, rl_panel_fn narrow) {
    of_bf16.turn = turn, of_bf16.narrow = narrow;
    of_bf16.tile = tile;
}

int rl_product_has_words(int dtype) { return dtype == RL_BF16 ? of_bf16.tile != NULL : dtype == RL_I8; }

rl_panel_fn rl_product_narrowing(int dtype) {
    if (dtype == RL_BF16 && of_bf16.tile) return of_bf16.narrow;
    rl_product_parts s = rl_product_kernels(dtype);
    return s.narrow ? s.narrow : s.pack;
}

rl_panel_fn rl_product_turning(int dtype) { return dtype == RL_BF16 ? of_bf16.turn : NULL; }

static words words_of(int dtype) {
    if (dtype == RL_BF16) return of_bf16;
    rl_product_parts s = rl_product_kernels(dtype);
    return (words){s.tile, s.pack, s.narrow, s.item, WORD / s.item};
}

typedef struct {
    rl_product p;
    words w;
    int64_t depth, held; /* terms of a block of K; rows of C that are held in float32 */
    int keep_b, direct;  /* all blocks of B are packed at once; A is read in place */
    int64_t tile_m, tile_n, tiles_m, tiles_n;
    int64_t a_bytes, b_bytes, c_bytes, row; /* row: bytes of a row of the held sums */
} plan;

/* ---- packing ---------------------------------------------------------------------------------------------------- */

/* Rows of elements as one of words, in panels of 32 columns that lie `panel` bytes apart. Rows are prefetched `ahead`
 * bytes ahead: these runs are too short for the processor's prefetcher. */
CLONES static void two_rows(const char *const *rows, int64_t n, char *to, int64_t panel, uintptr_t ahead) {
    const uint16_t *x = (const uint16_t *)rows[0], *y = (const uint16_t *)rows[1];
    for (; n >= EDGE; n -= EDGE, x += EDGE, y += EDGE, to += panel) {
        uint32_t *restrict at = (uint32_t *)to;
        __builtin_prefetch((const void *)((uintptr_t)x + ahead));
        __builtin_prefetch((const void *)((uintptr_t)y + ahead));
        for (int64_t j = 0; j < EDGE; j++) at[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
    }
    for (int64_t j = 0; j < n; j++) ((uint32_t *)to)[j] = (uint32_t)x[j] | (uint32_t)y[j] << 16;
}

CLONES static void four_rows(const char *const *rows, int64_t n, char *to, int64_t panel, uintptr_t ahead) {
    const uint8_t *x = (const uint8_t *)rows[0], *y = (const uint8_t *)rows[1];
    const uint8_t *z = (const uint8_t *)rows[2], *w = (const uint8_t *)rows[3];
    for (; n > 0; n -= EDGE, x += EDGE, y += EDGE, z += EDGE, w += EDGE, to += panel) {
        uint32_t *restrict at = (uint32_t *)to;
        __builtin_prefetch((const void *)((uintptr_t)x + ahead));
        __builtin_prefetch((const void *)((uintptr_t)y + ahead));
        __builtin_prefetch((const void *)((uintptr_t)z + ahead));
        __builtin_prefetch((const void *)((uintptr_t)w + ahead));
        int64_t count = smaller(n, EDGE);
        for (int64_t j = 0; j < count; j++)
            at[j] = (uint32_t)x[j] | (uint32_t)y[j] << 8 | (uint32_t)z[j] << 16 | (uint32_t)w[j] << 24;
    }
}

/* The `terms` rows from `from` on, `row` bytes apart, as one of words; of them only so many exist, and the others are
 * zeros. */
static void interleave(const words *w, const char *from, int64_t row, int64_t exist, int64_t n, char *to, int64_t panel,
                       uintptr_t ahead) {
    static const char zeros[2 * MOST_N];
    const char *rows[WORD];
    for (int64_t t = 0; t < w->terms; t++) rows[t] = t < exist ? from + t * row : zeros;
    if (w->terms == 2)
        two_rows(rows, n, to, panel, ahead);
    else
        four_rows(rows, n, to, panel, ahead);
}

/* How many bytes ahead rows are prefetched that are `row` bytes apart and have n columns: so many as take about 500
 * cycles, the time of a third-level cache. */
static uintptr_t far_enough(const words *w, int64_t n, int64_t row) {
    return (uintptr_t)(w->terms * row) * (uintptr_t)ceil_div(2048, n);
}

/* Element by element: `step` bytes from one of the n elements to the next, as kernels want them. */
static void gather(const words *w, const char *from, int64_t stride, int64_t n, char *to, int64_t step) {
    if (w->item == 2)
        for (int64_t i = 0; i < n; i++) memcpy(to + i * step, from + i * stride, 2);
    else
        for (int64_t i = 0; i < n; i++) to[i * step] = from[i * stride];
}

/* The bytes of a strip of 32 rows, or of a panel of 32 columns, of k terms. */
static int64_t strip_of(const words *w, int64_t k) { return ceil_div(k * w->item, LINE) * STEP; }

/* Pack A's rows in strips of 32, and these by steps of a line of terms each. Rows that are contiguous along k are
 * copied; columns that are contiguous along m are combined in words, which are transposed. */
static void pack_a(const words *w, const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to) {
    char together[LINE / WORD * WORD * MOST_M_AGAIN];
    int64_t strip = strip_of(w, k), span = LINE / w->item;
    if (m % EDGE) memset(to + m / EDGE * strip, 0, (size_t)strip);
    if (k % span)
        for (int64_t i = 0; i < m; i += EDGE) memset(to + (i / EDGE + 1) * strip - STEP, 0, STEP);
    if (cs == w->item || rs != w->item) {
        for (int64_t i = 0; i < m; i++) {
            char *at = to + i / EDGE * strip + i % EDGE * LINE;
            for (int64_t l = 0; l < k; l += span, at += STEP) {
                int64_t n = smaller(span, k - l);
                const char *from = a + i * rs + l * cs;
                if (cs != w->item)
                    gather(w, from, cs, n, at, w->item);
                else if (n == span)
                    memcpy(at, from, LINE);
                else
                    memcpy(at, from, (size_t)(w->item * n));
            }
        }
        return;
    }
    uintptr_t ahead = far_enough(w, m, cs);
    for (int64_t l = 0; l < k; l += span, to += STEP) {
        int64_t n = smaller(span, k - l);
        const char *from = a + l * cs;
        for (int64_t t = 0; t < n; t += w->terms, from += w->terms * cs)
            interleave(w, from, cs, n - t, m, together + t / w->terms * WORD * m, WORD * EDGE, ahead);
        for (int64_t i = 0; i < m; i += EDGE)
            w->turn(&(rl_panel){together + WORD * i, WORD * m, WORD, ceil_div(n, w->terms), smaller(EDGE, m - i),
                                to + i / EDGE * strip, LINE});
    }
}

/* Pack columns of B in panels of 32, and these by steps of 16 words, each for all columns. */
static void pack_b(const words *w, const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to) {
    int64_t whole = k / w->terms, panel = strip_of(w, k);
    if (n % EDGE) memset(to + n / EDGE * panel, 0, (size_t)panel);
    if (k * w->item % LINE)
        for (int64_t j = 0; j < n; j += EDGE) memset(to + (j / EDGE + 1) * panel - STEP, 0, STEP);
    if (cs == w->item) {
        uintptr_t ahead = far_enough(w, n, rs);
        for (int64_t l = 0; l < k; l += w->terms, b += w->terms * rs, to += WORD * EDGE)
            interleave(w, b, rs, k - l, n, to, panel, l / w->terms < whole ? ahead : 0);
        return;
    }
    for (int64_t j = 0; j < n; j += EDGE, to += panel) {
        int64_t count = smaller(EDGE, n - j), first = 0;
        const char *from = b + j * cs;
        if (rs == w->item && whole) {
            w->turn(&(rl_panel){from, cs, WORD, count, whole, to, WORD * EDGE});
            first = w->terms * whole;
        }
        for (int64_t l = first; l < k; l++)
            gather(w, from + l * rs, cs, count, to + l / w->terms * WORD * EDGE + l % w->terms * w->item, WORD);
    }
}

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

static void open_tiles(rl_tile_fn tile) {
    static const struct {
        uint8_t palette, start, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } whole = {.palette = 1,
               .bytes = {64, 64, 64, 64, 64, 64, 64, 64},
               .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    tile(&(rl_tile){.a = (const char *)&whole, .add = CONFIGURE});
}

static void close_tiles(rl_tile_fn tile) { tile(&(rl_tile){.add = RELEASE}); }

void rl_bf16_open(void) { open_tiles(of_bf16.tile); }

void rl_bf16_close(void) { close_tiles(of_bf16.tile); }

int64_t rl_bf16_bytes(int64_t n, int64_t k) { return ceil_div(n, EDGE) * strip_of(&of_bf16, k); }

void rl_bf16_rows(const char *a, int64_t rs, int64_t cs, int64_t m, int64_t k, char *to) {
    for (int64_t i = 0; i < m; i += EDGE)
        pack_a(&of_bf16, a + i * rs, rs, cs, smaller(EDGE, m - i), k, to + rl_bf16_bytes(i, k));
}

void rl_bf16_columns(const char *b, int64_t rs, int64_t cs, int64_t n, int64_t k, char *to) {
    for (int64_t j = 0; j < n; j += EDGE)
        pack_b(&of_bf16, b + j * cs, rs, cs, smaller(EDGE, n - j), k, to + rl_bf16_bytes(j, k));
}

void rl_bf16_tile(const char *a, const char *b, int64_t m, int64_t k, char *c, int64_t c_row) {
    int64_t steps = strip_of(&of_bf16, k) / STEP;
    of_bf16.tile(&(rl_tile){.m = m, .k = steps, .a = a, .a_row = LINE, .a_k = STEP, .b = b, .c = c, .c_row = c_row});
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Copy rows of C from the memory of the sums. */
static void write_rows(const plan *q, const char *own, char *c, int64_t m, int64_t n) {
    const rl_product *p = &q->p;
    int64_t row = q->row;
    if (p->wide)
        for (int64_t i = 0; i < m; i++) memcpy(c + i * p->c_rs, own + i * row, (size_t)(4 * n));
    else if (p->c_cs == q->w.item || p->n == 1)
        for (int64_t i = 0; i < m; i++) q->w.narrow(&(rl_panel){own + i * row, 4, row, n, 1, c + i * p->c_rs, 0});
    else if (p->c_rs == q->w.item || p->m == 1)
        q->w.narrow(&(rl_panel){own, row, 4, m, n, c, p->c_cs});
    else
        for (int64_t j = 0; j < n; j++) q->w.narrow(&(rl_panel){own + 4 * j, 4, row, 1, m, c + j * p->c_cs, p->c_rs});
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
            int64_t depth = smaller(q->depth, p->k - k0), strip = strip_of(&q->w, depth);
            rl_tile t = {.k = strip / STEP, .add = k0 > 0, .c_row = q->row};
            int direct = q->direct && depth * q->w.item % LINE == 0;
            char *blocks = packed_b + (q->keep_b ? k0 * q->w.item * q->tile_n : 0);
            if (g == 0 || !q->keep_b) pack_b(&q->w, b + k0 * p->b_rs, p->b_rs, p->b_cs, n, depth, blocks);
            for (int64_t i = g; i < end; i += EDGE) {
                int64_t rows = smaller(EDGE, m - i);
                const char *from = a + i * p->a_rs + k0 * p->a_cs;
                t.m = rows, t.a = from, t.a_row = p->a_rs, t.a_k = LINE;
                if (!direct || rows < EDGE) {
                    /* Strips that are contiguous along m are packed together, so that several lines of each k are read.
                       */
                    if (q->direct || i == g)
                        pack_a(&q->w, from, p->a_rs, p->a_cs, q->direct ? rows : end - g, depth, room);
                    t.a = room + (q->direct ? 0 : (i - g) / EDGE * strip), t.a_row = LINE, t.a_k = STEP;
                }
                char *sums = own + (i - g) * q->row;
                for (int64_t j = 0; j < n; j += EDGE) {
                    t.b = blocks + j / EDGE * strip, t.c = sums + j * 4;
                    q->w.tile(&t);
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
    open_tiles(q->w.tile);
    for (int64_t t = begin; t < end; t++) {
        int64_t batch = t / tiles, i = t % tiles / q->tiles_n * q->tile_m, j = t % q->tiles_n * q->tile_n;
        multiply_block(q, batch, i, j, smaller(q->tile_m, p->m - i), smaller(q->tile_n, p->n - j), room);
    }
    close_tiles(q->w.tile);
    rl_free(room, bytes);
    return 0;
}

/* Whether rows of A are read in place: their terms are contiguous in whole cache lines, and the rows of a strip do not
 * share sets of the first-level cache. */
static int lies_well(const rl_product *p, int64_t item, int64_t depth) {
    int64_t apart = (p->a_rs < 0 ? -p->a_rs : p->a_rs) % PAGE / LINE, same = apart ? apart & -apart : PAGE / LINE;
    return p->a_cs == item && p->a_rs % LINE == 0 && (uintptr_t)p->a % LINE == 0 && p->a_bs % LINE == 0 &&
           same * LINE <= item * depth;
}

/* The multiple of `edge` that cuts `size` into equal pieces of at most `most`, which is a multiple of it, too. */
static int64_t even(int64_t size, int64_t most, int64_t edge) {
    return ceil_div(ceil_div(size, ceil_div(size, most)), edge) * edge;
}

static void choose_blocks(plan *q) {
    const rl_product *p = &q->p;
    int64_t room = rl_product_cache_room(), item = q->w.item, line = ceil_div(p->k * item, LINE) * LINE;
    int64_t most_n = smaller(MOST_N, (room + room / 2) / line / EDGE * EDGE);
    q->depth = even(p->k, (p->k * item <= AT_ONCE ? AT_ONCE : DEPTH) / item, LINE / item);
    q->keep_b = most_n >= LEAST_N || most_n >= p->n;
    q->tile_m = ceil_div(p->m, EDGE) * EDGE, q->tile_n = even(p->n, q->keep_b ? most_n : MOST_N, EDGE);
}

int rl_product_run_words(const rl_product *given, int parallel) {
    plan q = {.p = *given, .w = words_of(given->dtype)};
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
    q.direct = lies_well(p, q.w.item, q.depth);
    q.held = smaller(q.tile_m, q.keep_b ? MOST_M : MOST_M_AGAIN);
    q.row = 4 * q.tile_n + LINE; /* rows do not share sets of a cache */
    q.a_bytes = (q.direct ? EDGE : q.held) * q.depth * q.w.item;
    q.b_bytes = (q.keep_b ? ceil_div(p->k, q.depth) : 1) * q.depth * q.w.item * q.tile_n, q.c_bytes = q.held * q.row;
    if (p->then && !p->c) p->c_cs = p->wide ? WORD : q.w.item, p->c_rs = p->c_cs * q.tile_n + LINE;
    q.tiles_m = ceil_div(p->m, q.tile_m), q.tiles_n = ceil_div(p->n, q.tile_n);
    int64_t tiles = p->batch * q.tiles_m * q.tiles_n;
    if (threads == 1 || tiles == 1) return (int)run_tiles(&q, 0, tiles);
    ns = ns * (double)p->batch / (double)tiles;
    return (int)rl_parallel_for(run_tiles, &q, tiles, ns < 10000 ? (int64_t)(10000 / ns) : 1);
}
