#include "product.h"

#include <string.h>

#include "alloc.h"
#include "integers.h"
#include "pool.h"
#include "product_cuts.h"
#include "product_packing.h"
#include "product_pairs.h"

enum { LONGEST_SPLIT = 64, LINE = 64, FAR_PANELS = 16, PAGE = 4096, MOST_HELD = 8 << 20, PIECE_TILES = 8 };

typedef struct {
    rl_tile_fn tile, table, turned;
    rl_panel_fn pack, narrow; /* narrow: from the packed type to that of C, NULL if they are the same */
    int64_t rows, columns, item, wide; /* item, wide: bytes of an element, and of a packed one */
    int8_t first[LONGEST_SPLIT + 1];  /* for each number of rows that are left, how many the next tile takes */
    int16_t turns[LONGEST_SPLIT + 1]; /* for each number of rows, the half turns of a step over k */
} kernels;

static kernels all[RL_PRODUCT_DTYPES];

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/* A step over k of a tile takes one turn per row, but at least three and a half, the length of the chain from one sum
 * to the next. A tile takes one more turn to begin and end, and one of few rows another one for its masks
 * (compiler/products/tile.py): measured with 128 terms. */
static void choose_splits(kernels *s) {
    enum { FEW = 6 };
    s->turns[0] = 0;
    for (int64_t m = 1; m <= LONGEST_SPLIT; m++) {
        s->turns[m] = INT16_MAX;
        for (int64_t r = smaller(m, s->rows); r >= 1; r--) {
            if (r > 8 && r % 2) continue;
            int16_t turns = (int16_t)(s->turns[m - r] + larger(2 * r + (r < FEW ? 4 : 2), 7));
            if (turns < s->turns[m]) s->turns[m] = turns, s->first[m] = (int8_t)r;
        }
    }
}

void rl_product_use(int dtype, rl_tile_fn tile, rl_panel_fn pack, rl_panel_fn narrow, int64_t rows, int64_t columns) {
    kernels *s = &all[dtype];
    s->pack = pack, s->narrow = narrow, s->rows = rows, s->columns = columns;
    s->wide = dtype == RL_F64 ? 8 : 4, s->item = dtype == RL_I8 ? 1 : narrow ? 2 : s->wide;
    choose_splits(s);
    s->tile = tile, s->table = s->turned = NULL;
}

void rl_product_use_table(int dtype, rl_tile_fn table, rl_tile_fn turned) {
    all[dtype].table = table, all[dtype].turned = turned;
}

int64_t rl_product_columns(int dtype) {
    return rl_product_serves(dtype) && !all[dtype].narrow ? all[dtype].columns : 0;
}

void rl_product_panels(int dtype, int64_t n, int64_t k, const void *b, int64_t b_rs, int64_t b_cs, void *to) {
    const kernels *s = &all[dtype];
    for (int64_t j = 0; j < n; j += s->columns) {
        int64_t count = n - j < s->columns ? n - j : s->columns;
        rl_panel panel = {(const char *)b + j * b_cs, b_cs, b_rs, count, k, (char *)to + j * k * s->item,
                          s->columns * s->item};
        s->pack(&panel);
    }
}

int rl_product_serves(int dtype) { return dtype >= 0 && dtype < RL_PRODUCT_DTYPES && all[dtype].tile; }

/* How many turns a step over k of a panel of columns takes. */
static double turns_of(const kernels *s, int64_t m) {
    int64_t whole = m > LONGEST_SPLIT ? ceil_div(m - LONGEST_SPLIT, s->rows) : 0;
    return (double)(whole * (2 * s->rows + 2) + s->turns[m - whole * s->rows]) / 2;
}

double rl_product_turns(int dtype, int64_t m) { return turns_of(&all[dtype], m); }

static int64_t rows_of_next(const kernels *s, int64_t left) { return left > LONGEST_SPLIT ? s->rows : s->first[left]; }

/* If all of A (m, k) is packed, the address of the rows from row i on for the block of K at k0, which has `terms`:
 * block after block, and in each the rows of one tile after the other. */
static int64_t packed_at(const kernels *s, int64_t m, int64_t k0, int64_t terms, int64_t i) {
    return (k0 * m + i * terms) * s->wide;
}

/* Pack the `rows` rows of a tile that begins at row i, for the block of K at k0. */
static void pack_tile(const kernels *s, int64_t m, int64_t k, int64_t k0, int64_t i, int64_t rows, const char *a,
                      int64_t a_rs, int64_t a_cs, char *to) {
    int64_t terms = smaller(rl_product_depth(k), k - k0);
    s->pack(&(rl_panel){a + i * a_rs + k0 * a_cs, a_rs, a_cs, rows, terms, to + packed_at(s, m, k0, terms, i),
                        rows * s->wide});
}

void rl_product_pack_rows(int dtype, int64_t m, int64_t k, int64_t k0, const char *a, int64_t a_rs, int64_t a_cs,
                          char *to) {
    const kernels *s = &all[dtype];
    for (int64_t i = 0, r; i < m; i += r) pack_tile(s, m, k, k0, i, r = rows_of_next(s, m - i), a, a_rs, a_cs, to);
}

rl_product_parts rl_product_kernels(int dtype) {
    const kernels *s = &all[dtype];
    return (rl_product_parts){s->tile, s->table, s->turned, s->pack, s->narrow, s->rows, s->columns, s->item, s->wide};
}

int64_t rl_product_next_rows(int dtype, int64_t left) { return rows_of_next(&all[dtype], left); }

int64_t rl_product_depth(int64_t k) { return ceil_div(ceil_div(k, ceil_div(k, RL_PRODUCT_K)), 8) * 8; }

/* ---- one block of C on one thread ------------------------------------------------------------------------------- */

/* How a product is cut, and what of it is packed. */
typedef struct {
    rl_product p;
    const kernels *s;
    int pairs;                 /* B is complex: the columns and terms of `p` count its parts (product_pairs.c) */
    char *packed;              /* A, if it is packed before the tiles; packed_bs apart for each product of the batch */
    int64_t packed_bs;
    int at_once;               /* all threads share the packing of it */
    int64_t c_item;            /* bytes of an element of C */
    int narrow;                /* C is of a half type */
    int pack_a, pack_b, far_b; /* far_b: B's rows are contiguous and lie far apart */
    int far_c;                 /* tiles ask for the place of the next one, which comes from far away */
    int aside;                 /* C is made in panels of our own: it has no contiguous rows, or another dtype */
    int hold;                  /* so are its sums until the last block of K, which writes them to C */
    int by_panels;             /* all of K is done for a panel of a block of rows, whose A stays in the second-level
                                * cache */
    int64_t depth;             /* of a block of K */
    int64_t tile_m, tile_n, tiles_m, tiles_n;
    int64_t held_m;           /* rows of C whose sums are held at a time */
    int64_t block_m, block_n; /* rows of A and columns of B that are packed at a time */
    int64_t panel_bytes;      /* the distance of packed panels of B */
    int64_t piece_n;          /* columns of a piece of C for the kernel that follows; its rows are those of a block */
    int64_t a_bytes, b_bytes, c_bytes, piece_bytes;
} plan;

static void pack(const plan *q, const char *from, int64_t across, int64_t along_k, int64_t count, int64_t k, char *to,
                 int64_t to_step) {
    rl_panel panel = {from, across, along_k, count, k, to, to_step};
    q->s->pack(&panel);
}

/* Pack the rows of the next tile, or of several, out of those that are `left`, at most `most`; returns how many. */
static int64_t pack_next(const plan *q, const char *a, int64_t left, int64_t most, int64_t k, char *to) {
    enum { RUN = 1024 }; /* bytes of the rows of some tiles, whose packed terms share no sets of the cache */
    int64_t rows = rows_of_next(q->s, left), bytes = rows * q->s->wide, tiles = 1;
    if (q->p.a_rs == q->s->wide && !q->s->narrow && left > LONGEST_SPLIT)
        tiles = smaller(smaller(ceil_div(left - LONGEST_SPLIT, rows), most / rows), RUN / bytes);
    if (tiles < 2) {
        pack(q, a, q->p.a_rs, q->p.a_cs, rows, k, to, bytes);
        return rows;
    }
    rl_pack_side_by_side(a, q->p.a_cs, tiles, bytes, k, to);
    return tiles * rows;
}

/* Memory that is wanted soon: pairs of lines, `step` apart, which tiles ask for, one in so many terms. A core waits for
 * 16 lines at most, and what comes from a third-level cache is under way for as long as a tile takes for twenty terms:
 * asked for all at once it would hold up the tile's own. */
typedef struct {
    const char *at;
    int64_t pairs, step, pause;
} stretch;
enum { MOST_WANTED = 3 };
typedef struct {
    stretch of[MOST_WANTED];
} wanted;

/* What lies in one piece, a line of it for each term, or one in two terms. */
static stretch want_piece(const char *at, int64_t bytes, int64_t terms) {
    return (stretch){at, ceil_div(bytes, 2 * LINE), 2 * LINE, 2 * terms - 1};
}

/* A panel's part of rows that are `step` apart. Where it begins within a line it has three, the first of which is the
 * last one of the panel before. */
static stretch want_rows(const char *at, int64_t rows, int64_t step) {
    enum { PAUSE = 3 };
    return (stretch){at + LINE - 1, rows, step, PAUSE};
}

/* What a tile asks for, if it has the loop that does (compiler/products/tile.py). */
static void ask(const kernels *s, rl_tile *t, wanted *w) {
    enum { FEW = 6 };
    t->next = NULL;
    if (t->to || t->m < FEW || t->n < s->columns) return;
    for (stretch *x = w->of; x < w->of + MOST_WANTED && !t->next; x++)
        if (x->pairs > 0) {
            int64_t pairs = t->k / (x->pause + 1);
            t->next = x->at, t->next_k = x->step, t->pause = x->pause;
            x->at += pairs * x->step, x->pairs -= pairs;
        }
}

/* The rows of C that the next tile writes, where it lies: this panel's from row i on, or the first ones of the panel
 * behind. */
static void ask_for_place(const plan *q, rl_tile *t, const char *c, int64_t i, int64_t m) {
    if (t->next || t->to) return;
    t->next = (i < m ? c + i * t->c_row : c + q->s->columns * q->s->wide) + LINE - 1;
    t->next_k = t->c_row, t->pause = 7;
    while (t->pause && t->k / (t->pause + 1) < q->s->rows) t->pause >>= 1;
}

/* Rows of a panel of columns of C, for one block of K, the `first` one of these rows: they have not been packed, or by
 * all threads. */
static void rows_of_panel(const plan *q, const char *a, rl_tile *t, int64_t m, char *packed, int first, wanted *w) {
    enum { FURTHER = 24 }; /* the time of a third-level cache; the processor's prefetchers stop at the end of a page */
    const char *from = t->from;
    char *c = t->c;
    int64_t wide = q->s->wide, ready = first && q->pack_a && !q->packed ? 0 : m, r;
    t->further = first && q->packed ? FURTHER : 0;
    for (int64_t i = 0; i < m; i += r) {
        r = rows_of_next(q->s, m - i);
        t->a = a + i * q->p.a_rs, t->a_row = q->p.a_rs, t->a_k = q->p.a_cs;
        if (q->pack_a) {
            char *at = packed + i * t->k * wide;
            if (i == ready) ready += pack_next(q, t->a, m - i, m - i, t->k, at);
            t->a = at, t->a_row = wide, t->a_k = r * wide;
        }
        t->c = c + i * t->c_row, t->from = from + i * t->from_row, t->m = r;
        ask(q->s, t, w);
        if (q->far_c && t->c_row == q->p.c_rs) ask_for_place(q, t, c, i + r, m);
        q->s->tile(t);
        if (t->to) t->b = t->to, t->b_k = t->to_k, t->to = NULL;
    }
}

static void pack_b(const plan *q, const char *b, int64_t n, int64_t k, char *to) {
    int64_t item = q->s->item, columns = q->s->columns;
    if (q->pairs)
        rl_pack_pairs(b, 2 * q->p.b_cs, 2 * q->p.b_rs, item, n / 2, k / 2, columns / 2, to);
    else if (q->far_b)
        rl_pack_far(b, q->p.b_rs, n * item, k, to, q->panel_bytes);
    else
        pack(q, b, q->p.b_cs, q->p.b_rs, n, k, to, columns * q->s->wide);
}

/* Copy a panel of C between its place and our own panels. */
static void read_panel(const plan *q, const char *c, int64_t m, int64_t n, char *own) {
    pack(q, c, q->p.c_cs, q->p.c_rs, n, m, own, q->s->columns * q->s->wide);
}
static void write_panel(const plan *q, const char *own, int64_t m, int64_t n, char *c) {
    const rl_product *p = &q->p;
    int64_t item = q->c_item, wide = q->s->wide, row = q->s->columns * wide;
    rl_panel_fn back = q->narrow ? q->s->narrow : q->s->pack;
    if (p->c_rs == item || p->m == 1) {
        back(&(rl_panel){own, row, wide, m, n, c, p->c_cs});
    } else if (p->c_cs == item || p->n == 1) {
        back(&(rl_panel){own, wide, row, n, m, c, p->c_rs});
    } else {
        for (int64_t j = 0; j < n; j++) back(&(rl_panel){own + j * wide, wide, row, 1, m, c + j * p->c_cs, p->c_rs});
    }
}

/* Whether the first tile of so many rows packs a panel of B while it multiplies: one whose rows are contiguous. */
static int packs_itself(const plan *q, int64_t rows) { return q->far_b && rows_of_next(q->s, rows) == q->s->rows; }

/* The state of a thread in its part of C: the part, its rows and columns in C and its number in the batch, and the
 * memory for packing. C's row `top` and column `left` are at `c`: the first of the part, or those of a piece. */
typedef struct {
    const char *a, *b;
    char *c;
    int64_t m, n, batch, i0, j0;
    char *packed_a, *packed_b, *sums;
    int64_t top, left;
    wanted next; /* memory that the next product of the batch needs */
} part;

/* One panel of `rows` rows from row i on and of columns from j on, for the block of K at k0. `first_a`: its rows of A
 * are wanted for the first time; `pack_columns`: so many columns of B are to be packed. The sums of several blocks of K
 * may wait in panels of our own, each in one piece: rows of C may be far apart, and then push one another out of the
 * caches. `next`: what is wanted behind this panel, in its first two
 * places. */
static void multiply_panel(const plan *q, part *x, int64_t k0, int64_t i, int64_t rows, int64_t j, char *packed_a,
                           int first_a, char *packed_b, int64_t pack_columns, char *own, wanted *next) {
    const rl_product *p = &q->p;
    int64_t wide = q->s->wide, columns = q->s->columns, own_row = columns * wide;
    rl_tile t = {.k = smaller(q->depth, p->k - k0), .n = smaller(columns, x->n - j), .add = p->add || k0 > 0};
    int last = k0 + t.k == p->k;
    char *place = x->c + (i - x->top) * p->c_rs + (j - x->left) * p->c_cs;
    t.b = x->b + k0 * p->b_rs + j * p->b_cs, t.b_k = p->b_rs;
    if (q->pack_b) {
        if (pack_columns && p->gather)
            rl_pack_gathered(p->gather, p->b, q->s->item, columns, k0, t.k, x->j0 + j, t.n, packed_b);
        else if (pack_columns == t.n && packs_itself(q, rows) && t.n == columns)
            t.to = packed_b, t.to_k = own_row;
        else if (pack_columns)
            pack_b(q, t.b, pack_columns, t.k, packed_b);
        if (!t.to) t.b = packed_b, t.b_k = own_row;
    }
    if (q->aside && p->add && k0 == 0) read_panel(q, place, rows, t.n, own);
    t.c = place, t.c_row = p->c_rs;
    if (q->aside || (q->hold && !last)) t.c = own, t.c_row = own_row;
    t.from = t.c, t.from_row = t.c_row;
    if (q->hold && p->add && k0 == 0) t.from = place, t.from_row = p->c_rs;
    if (q->hold && k0 > 0) t.from = own, t.from_row = own_row;
    /* Where a panel of C is made in one go, its place is wanted with the last block of K. */
    int soon = q->by_panels && q->hold && !last && k0 + 2 * q->depth >= p->k;
    next->of[2] = soon ? want_rows(place, rows, p->c_rs) : (stretch){0};
    if (!soon && !next->of[0].pairs) next = &x->next;
    rows_of_panel(q, x->a + i * p->a_rs + k0 * p->a_cs, &t, rows, packed_a, first_a, next);
    if (q->aside && last) write_panel(q, own, rows, smaller(columns, x->n - j), place);
}

/* Finish a piece of C: rows [i, i + rows) of the part, columns [j, end). */
static void go_on(const plan *q, const part *x, int64_t i, int64_t rows, int64_t j, int64_t end) {
    const rl_product *p = &q->p;
    char *own = q->piece_bytes ? x->c : NULL;
    int64_t parts = 1 + q->pairs; /* of an element */
    rl_product_go_on(p, x->batch, x->i0 + i, (x->j0 + j) / parts, rows, (end - j) / parts, own, p->c_rs,
                     q->c_item * parts);
}

/* How many terms the block of K at k0 has. */
static int64_t terms_at(const plan *q, int64_t k0) { return smaller(q->depth, q->p.k - k0); }

/* A panel of B that the first tile packs, where it lies. */
static stretch want_columns(const plan *q, const part *x, int64_t k0, int64_t j) {
    const rl_product *p = &q->p;
    return want_rows(x->b + k0 * p->b_rs + j * p->b_cs, terms_at(q, k0), p->b_rs);
}

/* Where the rows of A from row i of the part on are packed, or to be packed, for the block of K at k0: so many rows. */
static char *rows_at(const plan *q, const part *x, int64_t k0, int64_t i, int64_t rows) {
    if (q->packed) return x->packed_a + packed_at(q->s, q->p.m, k0, terms_at(q, k0), x->i0 + i);
    return x->packed_a + (q->by_panels ? k0 * rows * q->s->wide : 0);
}

/* Do a part of C whose sums are held, if a block of rows of A stays in the second-level cache for all of K: by blocks
 * of rows, in them panels of columns, and in them blocks of K. So a panel of C stays in a near cache and, if there is
 * only one block of rows, so does the memory to which panels of B are packed. */
static void multiply_by_panels(const plan *q, part *x) {
    const rl_product *p = &q->p;
    int64_t columns = q->s->columns, line = columns * q->s->wide, several = x->m > q->block_m;
    int64_t at_once = q->far_b && !packs_itself(q, smaller(x->m, q->block_m)) ? FAR_PANELS * columns : columns;
    for (int64_t i = 0; i < x->m; i += q->block_m)
        for (int64_t g = 0; g < x->n; g += q->piece_n) {
            int64_t end = smaller(x->n, g + q->piece_n), rows = smaller(q->block_m, x->m - i);
            if (q->piece_bytes) x->top = i, x->left = g;
            for (int64_t j0 = g; j0 < end; j0 += at_once)
                for (int64_t k0 = 0; k0 < p->k; k0 += q->depth)
                    for (int64_t j = j0; j < smaller(end, j0 + at_once); j += columns) {
                        char *packed = x->packed_b + (several ? j : j - j0) / columns * q->panel_bytes;
                        char *to = packed + (several ? k0 * line : 0);
                        int64_t k1 = k0 + q->depth, j1 = j;
                        if (k1 >= p->k) k1 = 0, j1 = at_once == columns ? j + columns : x->n;
                        wanted next;
                        next.of[0].pairs = next.of[1].pairs = 0;
                        if (i > 0 && q->pack_b) {
                            next.of[0] = want_piece(to + terms_at(q, k0) * line, terms_at(q, k0) * line, 1);
                        } else if (i == 0 && packs_itself(q, rows) && j1 < x->n) {
                            next.of[0] = want_columns(q, x, k1, j1);
                            char *then = x->packed_b + j1 / columns * q->panel_bytes + k1 * line;
                            if (several) next.of[1] = want_piece(then, terms_at(q, k1) * line, 2);
                        }
                        multiply_panel(q, x, k0, i, rows, j, rows_at(q, x, k0, i, rows), j == 0, to,
                                       i == 0 && j == j0 ? smaller(at_once, end - j) : 0,
                                       x->sums + (j - j0) * rows * q->s->wide, &next);
                    }
            if (p->then) go_on(q, x, i, rows, g, end);
        }
}

/* Do a part of C whose sums are held: by blocks of K, in them blocks of rows, and in them panels of columns, whose part
 * of B stays in the first-level cache while tile after tile reads its rows of A from the second; a panel is packed when
 * it is first needed. */
static void multiply_part(const plan *q, part *x) {
    const rl_product *p = &q->p;
    int64_t wide = q->s->wide, columns = q->s->columns;
    int packs = packs_itself(q, smaller(x->m, q->block_m)), own = q->piece_bytes > 0;
    int64_t at_once = q->far_b && !packs ? FAR_PANELS * columns : columns;
    for (int64_t k0 = 0; k0 < p->k; k0 += q->depth)
        for (int64_t i = 0; i < x->m; i += q->block_m)
            for (int64_t g = 0; g < x->n; g += q->piece_n) {
                int64_t end = smaller(x->n, g + q->piece_n), rows = smaller(q->block_m, x->m - i);
                char *a = rows_at(q, x, k0, i, rows);
                if (own) x->top = i, x->left = g;
                for (int64_t j = g; j < end; j += columns) {
                    /* The next panel that is packed: of this block of K, or the first one of the next. */
                    int64_t k1 = k0, j1 = j + columns;
                    if (j1 >= x->n) k1 = i + q->block_m < x->m ? p->k : k0 + q->depth, j1 = 0;
                    wanted next;
                    next.of[0].pairs = next.of[1].pairs = 0;
                    if (packs && k1 < p->k && (i == 0 || k1 > k0)) next.of[0] = want_columns(q, x, k1, j1);
                    multiply_panel(q, x, k0, i, rows, j, a, j == 0, x->packed_b + j / columns * q->panel_bytes,
                                   i == 0 && j % at_once == 0 ? smaller(at_once, x->n - j) : 0,
                                   x->sums + (j * x->m + i * columns) * wide, &next);
                }
                if (p->then && k0 + q->depth >= p->k) go_on(q, x, i, rows, g, end);
            }
}

/* ---- the whole product ------------------------------------------------------------------------------------------ */

/* The next matrix in the batch, at a distance from the one at `at`, if it is contiguous. */
static void want(wanted *w, int i, const char *at, int64_t apart, int64_t rows, int64_t columns, int64_t rs, int64_t cs,
                 int64_t item) {
    if (apart == 0 || !((cs == item && rs == columns * item) || (rs == item && cs == rows * item))) return;
    w->of[i] = want_piece(at + apart, rows * columns * item, 1);
}

/* Small matrices pass through the second-level cache one after the other: while one product is made, the operands and
 * the result of the next are prefetched. The processor's prefetcher would detect the rows of a tile only when they are
 * needed. */
static void want_next(const plan *q, part *x) {
    const rl_product *p = &q->p;
    int64_t item = q->s->item, bytes = (p->m * p->k + p->k * p->n) * item + p->m * p->n * q->c_item;
    if (bytes > rl_product_cache_room()) return;
    if (!q->packed) want(&x->next, 0, x->a, p->a_bs, p->m, p->k, p->a_rs, p->a_cs, item);
    want(&x->next, 1, x->b, p->b_bs, p->k, p->n, p->b_rs, p->b_cs, item);
    if (!q->piece_bytes) want(&x->next, 2, x->c, p->c_bs, p->m, p->n, p->c_rs, p->c_cs, q->c_item);
}

static int64_t run_tiles(void *ctx, int64_t begin, int64_t end) {
    const plan *q = ctx;
    const rl_product *p = &q->p;
    int64_t tiles = q->tiles_m * q->tiles_n, bytes = q->a_bytes + q->b_bytes + q->c_bytes + q->piece_bytes;
    char *room = bytes ? rl_alloc((size_t)bytes) : NULL;
    if (bytes && !room) return RL_NO_MEMORY;
    for (int64_t t = begin; t < end; t++) {
        int64_t batch = t / tiles, i0 = t % tiles / q->tiles_n * q->tile_m, j0 = t % q->tiles_n * q->tile_n;
        int64_t i_end = smaller(p->m, i0 + q->tile_m), j_end = smaller(p->n, j0 + q->tile_n);
        for (int64_t j = j0; j < j_end; j += q->block_n)
            for (int64_t i = i0; i < i_end; i += q->held_m) {
                part x = {.a = p->a + batch * p->a_bs + i * p->a_rs, .b = p->b + batch * p->b_bs + j * p->b_cs};
                x.m = smaller(q->held_m, i_end - i), x.n = smaller(q->block_n, j_end - j);
                x.batch = batch, x.i0 = i, x.j0 = j;
                x.packed_a = q->packed ? q->packed + batch * q->packed_bs : room;
                x.packed_b = room + q->a_bytes, x.sums = x.packed_b + q->b_bytes;
                x.c = q->piece_bytes ? x.sums + q->c_bytes : p->c + batch * p->c_bs + i * p->c_rs + j * p->c_cs;
                if (tiles == 1 && t + 1 < p->batch) want_next(q, &x);
                if (q->by_panels)
                    multiply_by_panels(q, &x);
                else
                    multiply_part(q, &x);
            }
    }
    if (room) rl_free(room, (size_t)bytes);
    return 0;
}

static int64_t distance(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Whether many tiles read a panel of B quicker if it is packed, although its rows are near: because they are not whole
 * cache lines, or share sets of the first-level cache, which has 64 sets of 8 lines or more. */
static int lies_badly(const plan *q) {
    enum { PLACES = 64, WAYS = 8, TILES = 8 };
    int64_t row = distance(q->p.b_rs), lines = ceil_div(q->s->columns * q->s->item, LINE), apart = row / LINE;
    if (q->p.m < TILES * q->s->rows || row == 0) return 0;
    if (row % LINE) return 1;
    int64_t same = apart & -apart; /* the distance of the sets that hold rows */
    return lines < same && q->depth * same > WAYS * PLACES;
}

/* A matrix that is read only once, or that tiles can read well, is not packed: it is read in place if a panel of it
 * fits into the first-level cache, with its rows in different sets. */
static void choose_packing(plan *q) {
    enum { MANY = 12 }; /* panels */
    const rl_product *p = &q->p;
    int64_t item = q->s->item;
    int b_contiguous = p->b_cs == item || p->n == 1, near = distance(p->b_rs) * q->depth <= (64 << 10);
    q->pack_b = p->gather || q->s->narrow || !b_contiguous || !(near || p->n <= q->s->columns);
    q->pack_b |= q->pairs || (b_contiguous && lies_badly(q));
    q->far_b = q->pack_b && !q->pairs && !p->gather && !q->s->narrow && b_contiguous;
    q->far_b &= q->s->columns * item == RL_FAR_PANEL;
    /* Many panels read rows of A that are near slower than packed ones, where they lie in no cache of a core. */
    int far_a = p->n >= MANY * q->s->columns && p->m * p->k * q->s->wide > rl_product_cache_room();
    q->pack_a = p->n > 2 * q->s->columns && (distance(p->a_rs) > 2048 || p->a_cs != item || far_a);
    q->pack_a |= q->packed || q->s->narrow;
    q->aside = q->narrow || (p->c_cs != q->c_item && p->n > 1);
}

/* The edge that cuts `size` into equal pieces of about `wanted`, a multiple of the unit. */
static int64_t even(int64_t size, int64_t wanted, int64_t unit) {
    if (wanted >= size) return size;
    int64_t most = larger(wanted / unit, 1) * unit;
    return ceil_div(ceil_div(size, ceil_div(size, most)), unit) * unit;
}

/* Whether all threads together pack A before they multiply. Otherwise each piece of C packs its rows of A, and
 * neighbouring pieces pack the same rows: of 1024 x 1024 x 1024, packing took a seventh of the time with two threads,
 * and a twelfth with one. The cost is one more hand-over of work. */
static int packs_at_once(const plan *q, int64_t by_n, int64_t threads) {
    const double most = 32 << 20, ns = 0.2; /* the time of an element, on one core */
    const rl_product *p = &q->p;
    double elements = (double)p->batch * (double)p->m * (double)p->k;
    if (q->s->narrow) return 0; /* half types would all be converted */
    return q->pack_a && !q->packed && by_n >= 2 * threads && elements * (double)q->s->wide <= most &&
           elements * ns > rl_shared_from_ns(elements * ns);
}

static void choose_blocks(plan *q, int64_t pieces, int64_t threads) {
    enum { TALL = 2, WIDE = 4 };
    rl_product *p = &q->p;
    int64_t rows = q->s->rows, columns = q->s->columns, wide = q->s->wide;
    q->tile_m = p->m, q->tile_n = p->n;
    if (pieces > 1) {
        int64_t by_n = smaller(pieces, ceil_div(p->n, 2 * columns)), by_m = 1;
        /* If only rows are cut, pieces pack nothing twice but B, which is small. */
        if (q->pack_a && !p->gather && p->m >= larger(TALL * p->n, 4 * rows * pieces)) by_n = 1;
        q->at_once = packs_at_once(q, by_n, threads);
        if (q->at_once) {
            /* An A that is larger than a core's caches is read from farther away once for each strip. */
            int64_t least = p->m * p->k * wide > 2 * rl_product_cache_room() ? WIDE : 1;
            int64_t panels = ceil_div(p->n, columns), most = larger(smaller(by_n, panels / least), threads);
            by_n = pieces = rl_best_strips(panels, p->batch, most, threads);
        }
        /* Strips of columns divide evenly what whole tiles of rows do not. An A that is near may be read once for each,
         * and C's short rows matter little where each is added to more than once. */
        int near = !q->pack_a && p->m * p->k * wide <= rl_product_cache_room();
        int64_t strips = near && p->k > RL_PRODUCT_K ? by_n : 0;
        if (strips >= threads) strips = rl_best_strips(ceil_div(p->n, columns), p->batch, strips, threads);
        /* Pieces as square as may be: rows are cut as often as leaves a piece twice as wide as high. */
        while (!q->at_once && by_m < pieces && p->m / (by_m + 1) >= 2 * rows &&
               (by_m * by_n < pieces || p->m / by_m > 2 * (p->n / by_n))) {
            by_m++;
            while (by_n > 1 && by_m * (by_n - 1) >= pieces) by_n--;
        }
        /* The same number of pieces for each thread. */
        while (!q->at_once && p->batch * by_m * by_n % threads && by_m * by_n < 2 * pieces &&
               p->m / (by_m + 1) >= 2 * rows)
            by_m++;
        if (strips >= threads && rl_longest_share(p, 1, strips, threads) < rl_longest_share(p, by_m, by_n, threads))
            by_m = 1, by_n = strips;
        q->tile_m = ceil_div(ceil_div(p->m, by_m), rows) * rows;
        q->tile_n = ceil_div(ceil_div(p->n, by_n), columns) * columns;
    }
    q->tiles_m = ceil_div(p->m, q->tile_m), q->tiles_n = ceil_div(p->n, q->tile_n);
    int64_t line = q->depth * wide, room = rl_product_cache_room(), most_m = room / 4 / line;
    if (p->then) most_m = smaller(most_m, PIECE_TILES * rows);
    if (p->gather && q->packed) most_m = p->m;
    q->block_m = even(q->tile_m, most_m, rows), q->block_n = even(q->tile_n, room / line, columns);
    int64_t depths = ceil_div(p->k, q->depth), panels = q->far_b ? FAR_PANELS : 1, of_row = depths * line;
    int64_t least_m = PIECE_TILES * rows; /* so many tiles make up for a panel of B that comes from a far cache */
    q->by_panels = q->block_m == q->tile_m && q->tile_m * of_row <= room / 2;
    if (!q->by_panels && !p->gather && depths > 1 && room / of_row >= smaller(least_m, q->tile_m)) {
        q->by_panels = 1;
        q->block_m = even(q->tile_m, smaller(room / of_row, p->then ? most_m : INT64_MAX), rows);
    }
    int several = q->by_panels && q->tile_m > q->block_m; /* panels of B are kept for all blocks of rows */
    if (several) q->block_n = even(q->tile_n, MOST_HELD / of_row, columns);
    q->panel_bytes = (several ? of_row : line) * columns;
    q->piece_n = q->block_n, q->piece_bytes = 0;
    if (p->then) q->piece_n = larger(room / 8 / (q->block_m * q->c_item) / columns, 1) * columns;
    if (p->then && !p->c) {
        /* Rows must not be a page apart: they would share sets of the caches. */
        p->c_rs = smaller(q->piece_n, ceil_div(q->block_n, columns) * columns) * q->c_item + LINE;
        q->piece_bytes = q->block_m * p->c_rs;
    }
    /* Sums are held in our own memory if C's rows share sets of a cache, or if C is larger than all caches, or larger
     * than a quarter of one through which A comes from farther away; or if C has no place. */
    int64_t size = q->tile_m * q->tile_n * wide, least = q->at_once && !q->by_panels ? room / 2 : 3 * room;
    if (p->c_rs % PAGE == 0) least = room / 4;
    q->hold = !q->aside && p->k > q->depth && (q->piece_bytes ? !q->by_panels : q->by_panels || size > least);
    q->far_c = !(q->by_panels && q->hold) && !q->piece_bytes && p->m * p->n * q->c_item > room;
    q->held_m = q->tile_m;
    if (!q->by_panels && (q->aside || q->hold)) {
        if (q->block_n * q->tile_m * wide > MOST_HELD) q->block_n = even(q->block_n, room / 2 / line, columns);
        q->held_m = even(q->tile_m, MOST_HELD / wide / q->block_n, q->block_m);
    }
    q->a_bytes = ceil_div(q->block_m * (q->by_panels ? of_row : line), LINE) * LINE;
    if (!q->pack_a || q->packed || q->at_once) q->a_bytes = 0;
    int64_t all_panels = ceil_div(q->block_n, columns);
    if (!q->by_panels || panels > all_panels) panels = all_panels; /* the columns of C that are made together */
    q->b_bytes = q->pack_b ? (several ? all_panels : panels) * q->panel_bytes + (p->gather ? RL_SLACK : 0) : 0;
    q->c_bytes = q->aside || q->hold ? (q->by_panels ? q->block_m : q->held_m) * panels * columns * wide : 0;
}

/* How the packing of A is shared: by the rows of a few tiles, and the rest of a block of rows, which may be cut in
 * another way (rows_of_next). */
static int64_t unit_rows(const plan *q) { return 4 * q->s->rows; }
static int64_t units_of_block(const plan *q) { return ceil_div(q->block_m, unit_rows(q)); }

/* For all of K, so that the processor's prefetcher detects long runs. */
static int64_t pack_units(void *ctx, int64_t begin, int64_t end) {
    const plan *q = ctx;
    const rl_product *p = &q->p;
    int64_t unit = unit_rows(q), of_block = units_of_block(q), units = of_block * ceil_div(p->m, q->block_m);
    for (int64_t u = begin; u < end; u++) {
        int64_t batch = u / units, i = u % units / of_block * q->block_m, rows = smaller(q->block_m, p->m - i);
        int64_t first = u % of_block * unit, last = first + unit;
        if (first > 0 && rows - first <= LONGEST_SPLIT) continue;
        if (rows - last <= LONGEST_SPLIT) last = rows;
        for (int64_t done = 0; first < last; first += done)
            for (int64_t k0 = 0; k0 < p->k; k0 += q->depth) {
                int64_t terms = smaller(q->depth, p->k - k0);
                const char *a = p->a + batch * p->a_bs + (i + first) * p->a_rs + k0 * p->a_cs;
                char *to = q->packed + batch * q->packed_bs + packed_at(q->s, p->m, k0, terms, i + first);
                done = pack_next(q, a, rows - first, last - first, terms, to);
            }
    }
    return 0;
}

static int run_at_once(plan *q, int64_t tiles, int64_t grain) {
    const rl_product *p = &q->p;
    q->packed_bs = p->m * p->k * q->s->wide;
    size_t bytes = (size_t)(p->batch * q->packed_bs);
    q->packed = rl_alloc(bytes);
    if (!q->packed) return RL_NO_MEMORY;
    int64_t rc = rl_parallel_for(pack_units, q, p->batch * ceil_div(p->m, q->block_m) * units_of_block(q), 1);
    if (rc == 0) rc = rl_parallel_for(run_tiles, q, tiles, grain);
    rl_free(q->packed, bytes);
    return (int)rc;
}

static void clear(const plan *q) {
    const rl_product *p = &q->p;
    for (int64_t b = 0; b < p->batch; b++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++)
                memset(p->c + b * p->c_bs + i * p->c_rs + j * p->c_cs, 0, (size_t)q->c_item);
}

/* Whether C is so small, and its sums are so long, that the sums are cut for the threads. */
static int is_long(const rl_product *p) {
    return p->batch == 1 && !all[p->dtype].narrow && !p->gather && p->m * p->n <= 8192 && p->k >= 16 * RL_PRODUCT_K;
}

int rl_product_parts_pay_then(const rl_product *given, int pairs) {
    rl_product p = *given;
    if (!rl_product_serves(p.dtype) || p.m < 2 || p.n < 2 || p.k < 1 || is_long(&p)) return 0;
    int64_t item = p.wide ? all[p.dtype].wide : all[p.dtype].item * (1 + pairs);
    if (!p.c) p.c_rs = p.n * item, p.c_cs = item;
    return p.c_cs == item && (p.wide || pairs || !rl_is_better_turned(&p));
}

int rl_product_run_parts(const rl_product *given, int pairs, int parallel) {
    char *packed = given->gather ? (char *)given->gather->packed : NULL;
    plan q = {.p = *given, .s = &all[given->dtype], .pairs = pairs, .packed = packed};
    q.c_item = given->wide ? q.s->wide : q.s->item, q.narrow = q.s->narrow && !given->wide;
    rl_product *p = &q.p;
    if (p->m == 0 || p->n == 0 || p->batch == 0) return 0;
    if (p->k == 0) {
        if (!p->add) clear(&q);
        return 0;
    }
    if (rl_product_has_words(p->dtype)) return rl_product_run_words(p, parallel);
    if (!pairs && !p->gather && !p->then && !p->wide && rl_is_better_turned_as_it_lies(p)) rl_product_turn(p);
    if (p->then && !p->c) p->c_cs = q.c_item; /* in pieces of our own, see choose_blocks */
    q.depth = rl_product_depth(p->k);
    double work = (double)p->m * (double)p->n * (double)p->k;
    double ns = work / (p->dtype == RL_F64 ? 40 : 80) + 50; /* roughly a core; only for how work is cut */
    if (p->then) ns += p->then->ns * (double)p->m * (double)p->n;
    int64_t threads = parallel && !rl_in_parallel() ? rl_num_threads() : 1, pieces = 1;
    if (threads > 1 && ns * (double)p->batch < rl_shared_from_ns(ns * (double)p->batch)) threads = 1;
    if (threads > 1 && is_long(p)) return rl_product_in_parts(p, pairs);
    if (threads > 1 && p->batch < 4 * threads)
        pieces = smaller(ceil_div(4 * threads, p->batch), larger(1, (int64_t)(ns / 10000)));
    choose_packing(&q);
    choose_blocks(&q, pieces, threads);
    int64_t tiles = p->batch * q.tiles_m * q.tiles_n;
    if (threads == 1 || tiles == 1) return (int)run_tiles(&q, 0, tiles);
    ns = ns * (double)p->batch / (double)tiles;
    int64_t grain = ns < 10000 ? (int64_t)(10000 / ns) : 1;
    return q.at_once ? run_at_once(&q, tiles, grain) : (int)rl_parallel_for(run_tiles, &q, tiles, grain);
}
