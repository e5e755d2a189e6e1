#include "attention.h"

#include <string.h>

#include "alloc.h"
#include "blas.h"
#include "integers.h"
#include "pool.h"
#include "product.h"

/* Keys of a block: as many as a block of a product's sum has terms. The rows of scores are a little longer, so that
 * equal columns of neighbouring rows do not compete for one set of the first-level cache. */
enum { KEYS = RL_PRODUCT_K, ROW = KEYS + 16, QUERIES = 56, QUERIES_BACK = 112, LINE = 64 };
#define TALL(ROWS) (((ROWS) + RL_BF16_EDGE - 1) / RL_BF16_EDGE * RL_BF16_EDGE) /* whole tiles of bfloat16 */

static const int64_t ALL = INT64_MAX / 4; /* the limit of a row that sees every key */

static struct {
    rl_rows_fn rows; /* the kernel of the softmax, or of its gradient */
    rl_finish_fn finish;
} kernels[RL_PRODUCT_DTYPES][2][RL_MASKS];

void rl_attention_use(int dtype, int backward, int mask, rl_rows_fn rows, rl_finish_fn finish) {
    kernels[dtype][backward][mask].finish = finish;
    kernels[dtype][backward][mask].rows = rows;
}

int rl_attention_ready(const rl_attention *p) { return kernels[p->dtype][p->backward][p->mask].rows != 0; }

/* How a call is cut: into `groups` tasks for each item of the batch, of so many blocks of `block` rows. `queries` and
 * `keys`: which gradients a task makes. */
typedef struct {
    const rl_attention *p;
    rl_product_parts s;
    rl_rows_fn rows;
    rl_finish_fn finish;
    int64_t batch, groups, blocks, per, block, mask_item;
    int queries, keys;
    int pairs; /* scores of bfloat16 are made by pairs of terms, from operands that are not converted */
} plan;

/* A matrix of any strides; and one of packed elements, whose rows are contiguous. */
typedef struct {
    char *data;
    int64_t row, column;
} matrix;
typedef struct {
    char *data;
    int64_t row;
} rows;

static matrix item_of(const plan *q, int which, int64_t batch) {
    const rl_matrices *x = &q->p->of[which];
    matrix out = {x->data, x->row, x->column};
    for (int64_t d = q->p->nd - 1; d >= 0; d--) {
        out.data += batch % q->p->size[d] * x->step[d];
        batch /= q->p->size[d];
    }
    return out;
}

static matrix below(matrix x, int64_t i) {
    x.data += i * x.row;
    return x;
}

/* ---- room of a task -------------------------------------------------------------------------------------------- */

static int64_t aligned(int64_t bytes) { return ceil_div(bytes, LINE) * LINE; }

/* Bytes of a row in our own memory: an odd number of cache lines, so that a column's lines are spread over the sets of
 * the cache. */
static int64_t row_of(const plan *q, int64_t width) { return (ceil_div(width * q->s.wide, LINE) | 1) * LINE; }

static int64_t panels_of(const plan *q, int64_t n, int64_t k) {
    if (q->pairs) return rl_bf16_bytes(n, k);
    return ceil_div(n, q->s.columns) * q->s.columns * k * q->s.wide;
}

/* Take so many bytes from a workspace. */
static char *take(char **room, int64_t bytes) {
    char *at = *room;
    *room += aligned(bytes);
    return at;
}

/* ---- operands as the tiles want them ---------------------------------------------------------------------------- */

/* Whether tiles can read the rows of a matrix in place, as rows of either operand. */
static int lies_well(const plan *q, matrix x) {
    return !q->s.narrow && x.column == q->s.item && x.row > 0 && x.row <= 4 * LINE;
}

static void repack(const plan *q, const char *from, int64_t across, int64_t along_k, int64_t count, int64_t k,
                   char *to, int64_t step) {
    q->s.pack(&(rl_panel){from, across, along_k, count, k, to, step});
}

/* The first n rows of a matrix, copied to `to` unless they can be read in place. */
static rows in_rows(const plan *q, matrix x, int64_t n, int64_t width, char *to) {
    if (lies_well(q, x)) return (rows){x.data, x.row};
    int64_t row = row_of(q, width);
    if (n > 0) repack(q, x.data, x.column, x.row, width, n, to, row);
    return (rows){to, row};
}

/* The transpose of the first n rows in panels of columns. */
static void in_panels(const plan *q, matrix x, int64_t n, int64_t width, char *to) {
    if (q->pairs) {
        rl_bf16_columns(x.data, x.column, x.row, n, width, to);
        return;
    }
    int64_t columns = q->s.columns, line = columns * q->s.wide;
    for (int64_t j = 0; j < n; j += columns, to += line * width)
        repack(q, x.data + j * x.row, x.row, x.column, smaller(columns, n - j), width, to, line);
}

/* The memory in which the rows of a result are summed up: the result, or our own if tiles cannot write to its rows. */
static rows sums_for(const plan *q, matrix result, char *own, int64_t row) {
    return q->s.narrow || result.column != q->s.item ? (rows){own, row} : (rows){result.data, result.row};
}

static void clear(rows x, int64_t n, int64_t bytes) {
    for (int64_t i = 0; i < n; i++) memset(x.data + i * x.row, 0, (size_t)bytes);
}

/* Copy rows from our own memory to the result. */
static void put(const plan *q, rows from, int64_t m, int64_t n, matrix to) {
    if (from.data == to.data) return;
    int64_t item = q->s.item, wide = q->s.wide;
    rl_panel_fn back = q->s.narrow ? q->s.narrow : q->s.pack;
    if (to.column == item || n == 1) {
        back(&(rl_panel){from.data, wide, from.row, n, m, to.data, to.row});
    } else if (to.row == item || m == 1) {
        back(&(rl_panel){from.data, from.row, wide, m, n, to.data, to.column});
    } else {
        for (int64_t j = 0; j < n; j++)
            back(&(rl_panel){from.data + j * wide, wide, from.row, 1, m, to.data + j * to.column, to.row});
    }
}

/* ---- products of blocks ------------------------------------------------------------------------------------------ */

/* Which part of a product is needed if row i of the scores uses the first limit + i columns only: of scores, the tiles
 * of which any element is used; of weights times rows, the terms that the tile's last row uses; of transposed weights
 * times rows, the terms from the first row on that uses the tile's first column. (Other weights in these ranges are
 * zero.) */
enum { SCORES, WEIGHTS, TURNED };

typedef struct {
    int kind, add;
    const char *a;
    int64_t a_row, a_k;
    const char *b;
    int64_t b_k, b_panel; /* b_panel: from one panel of columns to the next */
    rows c;
    int64_t m, n, k, limit;
} block;

static void multiply(const plan *q, const block *x) {
    int64_t columns = q->s.columns, wide = q->s.wide, r;
    for (int64_t from = 0; from < x->k; from += RL_PRODUCT_K)
        for (int64_t j = 0; j < x->n; j += columns)
            for (int64_t i = 0; i < x->m; i += r) {
                int64_t k0 = from, k1 = smaller(x->k, from + RL_PRODUCT_K);
                char *c = x->c.data + i * x->c.row + j * wide;
                r = rl_product_next_rows(q->p->dtype, x->m - i);
                if (x->kind == SCORES && j >= x->limit + i + r - 1) continue;
                if (x->kind == WEIGHTS) k1 = smaller(k1, x->limit + i + r - 1);
                if (x->kind == TURNED) k0 = larger(k0, i - x->limit + 1);
                if (k0 >= k1) { /* keys that none of these queries uses */
                    if (x->kind == TURNED && !x->add && from == 0)
                        clear((rows){c, x->c.row}, r, smaller(columns, x->n - j) * wide);
                    continue;
                }
                q->s.tile(&(rl_tile){.a = x->a + i * x->a_row + k0 * x->a_k,
                                     .a_row = x->a_row,
                                     .a_k = x->a_k,
                                     .b = x->b + k0 * x->b_k + j / columns * x->b_panel,
                                     .b_k = x->b_k,
                                     .c = c,
                                     .c_row = x->c.row,
                                     .from = c,
                                     .from_row = x->c.row,
                                     .m = r,
                                     .n = smaller(columns, x->n - j),
                                     .k = k1 - k0,
                                     .add = x->add || from > 0});
            }
}

/* scores (m, n) = rows (m, k) @ the transpose of rows that were packed in panels. The first rows are x in place, which
 * kernels of pairs read through `own`, or a, in float32. */
static void score(const plan *q, matrix x, rows a, const char *panels, rows scores, int64_t m, int64_t n, int64_t k,
                  int64_t limit, char *own) {
    int64_t line = q->s.columns * q->s.wide;
    if (q->pairs) {
        rl_bf16_rows(x.data, x.row, x.column, m, k, own);
        for (int64_t j = 0; j < n; j += RL_BF16_EDGE)
            for (int64_t i = 0; i < m; i += RL_BF16_EDGE) {
                if (j >= limit + smaller(i + RL_BF16_EDGE, m) - 1) continue;
                rl_bf16_tile(own + rl_bf16_bytes(i, k), panels + rl_bf16_bytes(j, k), smaller(RL_BF16_EDGE, m - i), k,
                            scores.data + i * scores.row + j * q->s.wide, scores.row);
            }
        return;
    }
    multiply(q, &(block){SCORES, 0, a.data, a.row, q->s.wide, panels, line, line * k, scores, m, n, k, limit});
}

/* y (m, n) += weights (m, k) @ rows (k, n), or without `add` y = that */
static void weigh(const plan *q, rows weights, rows b, rows y, int64_t m, int64_t n, int64_t k, int64_t limit,
                  int add) {
    int64_t wide = q->s.wide, panel = q->s.columns * wide;
    multiply(q, &(block){WEIGHTS, add, weights.data, weights.row, wide, b.data, b.row, panel, y, m, n, k, limit});
}

/* y (m, n) += the transpose of weights (k, m) @ rows (k, n), or without `add` y = that */
static void weigh_turned(const plan *q, rows weights, rows b, rows y, int64_t m, int64_t n, int64_t k,
                         int64_t limit, int add) {
    int64_t wide = q->s.wide, panel = q->s.columns * wide;
    multiply(q, &(block){TURNED, add, weights.data, wide, weights.row, b.data, b.row, panel, y, m, n, k, limit});
}

/* How many keys, from j on, the first of the queries from i on uses. */
static int64_t limit_of(const plan *q, int64_t i, int64_t j) { return q->p->causal ? i + 1 - j : ALL; }

/* The mask of a block, as kernels read it: rows of contiguous elements. */
static void set_mask(const plan *q, matrix mask, int64_t i, int64_t j, char *own, rl_rows *x) {
    int64_t item = q->mask_item;
    if (!item) return;
    const char *from = mask.data + i * mask.row + j * mask.column;
    if (mask.column == item) {
        x->mask = from, x->mask_row = mask.row;
        return;
    }
    for (int64_t r = 0; r < x->rows; r++)
        for (int64_t c = 0; c < x->n; c++)
            memcpy(own + (r * KEYS + c) * item, from + r * mask.row + c * mask.column, (size_t)item);
    x->mask = own, x->mask_row = KEYS * item;
}

/* Copy one number per row, from or to memory of any stride. */
static void copy_numbers(const char *from, int64_t from_step, char *to, int64_t to_step, int64_t n, int64_t wide) {
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, (size_t)wide);
}

/* ---- forward ----------------------------------------------------------------------------------------------------- */

/* The running maximum and sum of rows before their first keys. */
static void begin(int64_t wide, int64_t n, char *most, char *sum) {
    for (int64_t i = 0; i < n; i++) {
        if (wide == 8)
            ((double *)most)[i] = -(double)__builtin_inff();
        else
            ((float *)most)[i] = -__builtin_inff();
    }
    memset(sum, 0, (size_t)(n * wide));
}

/* Queries from `first` up to `last` of one item of the batch. */
static void forward(const plan *q, int64_t batch, int64_t first, int64_t last, char *room) {
    const rl_attention *p = q->p;
    int64_t wide = q->s.wide, keys = p->causal ? smaller(p->n, last) : p->n;
    matrix query = item_of(q, RL_QUERY, batch), mask = {0}, lse = item_of(q, RL_LSE, batch);
    if (q->mask_item) mask = item_of(q, RL_MASK, batch);
    char *panels = take(&room, panels_of(q, keys, p->e));
    in_panels(q, item_of(q, RL_KEY, batch), keys, p->e, panels);
    rows value = in_rows(q, item_of(q, RL_VALUE, batch), keys, p->v, take(&room, keys * row_of(q, p->v)));
    char *own_query = take(&room, q->pairs ? rl_bf16_bytes(QUERIES, p->e) : QUERIES * row_of(q, p->e));
    char *own_mask = take(&room, QUERIES * KEYS * q->mask_item);
    rows scores = {take(&room, TALL(QUERIES) * ROW * wide), ROW * wide};
    rows y = {take(&room, QUERIES * row_of(q, p->v)), row_of(q, p->v)};
    char *most = take(&room, QUERIES * wide), *sum = take(&room, QUERIES * wide);
    char *own_lse = take(&room, QUERIES * wide);
    for (int64_t i = first; i < last; i += QUERIES) {
        int64_t m = smaller(QUERIES, last - i);
        rows a = q->pairs ? (rows){0, 0} : in_rows(q, below(query, i), m, p->e, own_query);
        begin(wide, m, most, sum);
        if (keys == 0) clear(y, m, p->v * wide);
        for (int64_t j = 0; j < keys; j += KEYS) {
            int64_t n = smaller(KEYS, keys - j), limit = limit_of(q, i, j);
            if (limit + m - 1 <= 0) break;
            score(q, below(query, i), a, panels + panels_of(q, j, p->e), scores, m, n, p->e, limit, own_query);
            rl_rows x = {.s = scores.data, .s_row = scores.row, .rows = m, .n = n, .limit = limit, .scale = p->scale,
                         .most = most, .sum = sum, .y = y.data, .y_row = y.row, .width = p->v};
            set_mask(q, mask, i, j, own_mask, &x);
            q->rows(&x);
            weigh(q, scores, (rows){value.data + j * value.row, value.row}, y, m, p->v, n, limit, j > 0);
        }
        matrix out = below(item_of(q, RL_OUT, batch), i);
        rows to = sums_for(q, out, y.data, y.row);
        q->finish(&(rl_finish){y.data, y.row, m, p->v, most, sum, own_lse, to.data, to.row});
        put(q, to, m, p->v, out);
        copy_numbers(own_lse, wide, lse.data + i * lse.row, lse.row, m, wide);
    }
}

static int64_t forward_bytes(const plan *q) {
    const rl_attention *p = q->p;
    int64_t wide = q->s.wide;
    return aligned(panels_of(q, p->n, p->e)) + aligned(p->n * row_of(q, p->v)) +
           QUERIES * (row_of(q, p->e) + row_of(q, p->v) + aligned(KEYS * q->mask_item)) +
           TALL(QUERIES) * ROW * wide + (q->pairs ? rl_bf16_bytes(QUERIES, p->e) : 0) + 3 * aligned(QUERIES * wide);
}

/* ---- backward ---------------------------------------------------------------------------------------------------- */

/* The gradients of one item of the batch: by the queries from i0 to i1, by the keys and values from j0 to j1, or (if
 * these are all) by both. Every sum is over blocks in their order, whichever task makes it. */
static void backward(const plan *q, int64_t batch, int64_t i0, int64_t i1, int64_t j0, int64_t j1, char *room) {
    const rl_attention *p = q->p;
    int64_t wide = q->s.wide, seen = p->causal ? smaller(j1, i1) : j1; /* keys that any of these queries uses */
    if (p->causal) i0 = smaller(larger(i0, j0 / QUERIES_BACK * QUERIES_BACK), i1);
    int64_t m_all = i1 - i0, n_all = larger(seen - j0, 0);
    matrix key = below(item_of(q, RL_KEY, batch), j0), value = below(item_of(q, RL_VALUE, batch), j0), mask = {0};
    matrix lse = item_of(q, RL_LSE, batch), delta = item_of(q, RL_DELTA, batch);
    if (q->mask_item) mask = item_of(q, RL_MASK, batch);
    char *key_panels = take(&room, panels_of(q, n_all, p->e)), *value_panels = take(&room, panels_of(q, n_all, p->v));
    in_panels(q, key, n_all, p->e, key_panels);
    in_panels(q, value, n_all, p->v, value_panels);
    int64_t e_row = row_of(q, p->e), v_row = row_of(q, p->v);
    rows k = q->queries ? in_rows(q, key, n_all, p->e, take(&room, n_all * e_row)) : (rows){0, 0};
    matrix of_query = item_of(q, RL_QUERY, batch), of_grad = item_of(q, RL_GRAD, batch);
    rows query = in_rows(q, below(of_query, i0), m_all, p->e, take(&room, m_all * e_row));
    rows grad = in_rows(q, below(of_grad, i0), m_all, p->v, take(&room, m_all * v_row));
    char *own = take(&room, q->pairs ? rl_bf16_bytes(QUERIES_BACK, larger(p->e, p->v)) : 0);
    rows weights = {take(&room, TALL(QUERIES_BACK) * ROW * wide), ROW * wide};
    rows back = {take(&room, TALL(QUERIES_BACK) * ROW * wide), ROW * wide};
    char *own_mask = take(&room, QUERIES_BACK * KEYS * q->mask_item);
    char *own_lse = take(&room, m_all * wide), *own_delta = take(&room, m_all * wide);
    copy_numbers(lse.data + i0 * lse.row, lse.row, own_lse, wide, m_all, wide);
    copy_numbers(delta.data + i0 * delta.row, delta.row, own_delta, wide, m_all, wide);
    matrix to_q = {0}, to_k = {0}, to_v = {0};
    rows dq = {0}, dk = {0}, dv = {0};
    if (q->queries) {
        to_q = below(item_of(q, RL_DQ, batch), i0);
        dq = sums_for(q, to_q, take(&room, m_all * e_row), e_row);
    }
    char *own_k = take(&room, q->keys ? KEYS * e_row : 0), *own_v = take(&room, q->keys ? KEYS * v_row : 0);
    for (int64_t j = j0; j < j1; j += KEYS) {
        int64_t n = smaller(KEYS, j1 - j), n_seen = smaller(KEYS, seen - j);
        if (q->keys) {
            to_k = below(item_of(q, RL_DK, batch), j), dk = sums_for(q, to_k, own_k, e_row);
            to_v = below(item_of(q, RL_DV, batch), j), dv = sums_for(q, to_v, own_v, v_row);
        }
        int64_t begun = 0; /* keys that queries have used, and whose sums exist */
        for (int64_t i = i0; i < i1 && n_seen > 0; i += QUERIES_BACK) {
            int64_t m = smaller(QUERIES_BACK, i1 - i), limit = limit_of(q, i, j);
            if (limit + m - 1 <= 0) continue;
            rows a = {query.data + (i - i0) * query.row, query.row}, g = {grad.data + (i - i0) * grad.row, grad.row};
            score(q, below(of_query, i), a, key_panels + panels_of(q, j - j0, p->e), weights, m, n_seen, p->e, limit,
                  own);
            score(q, below(of_grad, i), g, value_panels + panels_of(q, j - j0, p->v), back, m, n_seen, p->v, limit,
                  own);
            rl_rows x = {.s = weights.data, .s_row = weights.row, .rows = m, .n = n_seen, .limit = limit,
                         .scale = p->scale, .most = own_lse + (i - i0) * wide,
                         .sum = own_delta + (i - i0) * wide, .y = back.data, .y_row = back.row};
            set_mask(q, mask, i, j, own_mask, &x);
            q->rows(&x);
            if (q->queries)
                weigh(q, back, (rows){k.data + (j - j0) * k.row, k.row}, (rows){dq.data + (i - i0) * dq.row, dq.row},
                      m, p->e, n_seen, limit, j > 0);
            if (q->keys) {
                weigh_turned(q, weights, g, dv, n_seen, p->v, m, limit, begun > 0);
                weigh_turned(q, back, a, dk, n_seen, p->e, m, limit, begun > 0);
                begun = n_seen;
            }
        }
        if (q->keys) {
            clear((rows){dk.data + begun * dk.row, dk.row}, n - begun, p->e * wide);
            clear((rows){dv.data + begun * dv.row, dv.row}, n - begun, p->v * wide);
            put(q, dk, n, p->e, to_k);
            put(q, dv, n, p->v, to_v);
        }
    }
    if (q->queries && j1 == 0) clear(dq, m_all, p->e * wide);
    if (q->queries) put(q, dq, m_all, p->e, to_q);
}

static int64_t backward_bytes(const plan *q) {
    const rl_attention *p = q->p;
    int64_t wide = q->s.wide, e_row = row_of(q, p->e), v_row = row_of(q, p->v);
    return aligned(panels_of(q, p->n, p->e)) + aligned(panels_of(q, p->n, p->v)) + p->n * e_row +
           p->m * (2 * e_row + v_row) + TALL(QUERIES_BACK) * 2 * ROW * wide +
           QUERIES_BACK * aligned(KEYS * q->mask_item) +
           (q->pairs ? rl_bf16_bytes(QUERIES_BACK, larger(p->e, p->v)) : 0) +
           2 * aligned(p->m * wide) + KEYS * (e_row + v_row);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static int64_t run(void *context, int64_t begin, int64_t end) {
    const plan *q = context;
    const rl_attention *p = q->p;
    int back = q->queries || q->keys;
    int64_t bytes = back ? backward_bytes(q) : forward_bytes(q);
    char *room = rl_alloc((size_t)bytes);
    if (!room) return RL_NO_MEMORY;
    if (q->pairs) rl_bf16_open();
    for (int64_t t = begin; t < end; t++) {
        int64_t batch = t / q->groups, group = t % q->groups, step = q->per * q->block;
        /* The last queries see the most keys, the first keys the most queries: the longest tasks go first. */
        if (p->causal && !q->keys) group = q->groups - 1 - group;
        int64_t first = group * step, whole = q->keys && !q->queries ? p->n : p->m;
        int64_t last = smaller(first + step, whole);
        if (!back)
            forward(q, batch, first, last, room);
        else if (!q->keys)
            backward(q, batch, first, last, 0, p->n, room);
        else if (!q->queries)
            backward(q, batch, 0, p->m, first, last, room);
        else
            backward(q, batch, 0, p->m, 0, p->n, room);
    }
    if (q->pairs) rl_bf16_close();
    rl_free(room, (size_t)bytes);
    return 0;
}

static plan plan_of(const rl_attention *p) {
    plan q = {.p = p, .s = rl_product_kernels(p->dtype), .batch = 1};
    q.rows = kernels[p->dtype][p->backward][p->mask].rows, q.finish = kernels[p->dtype][p->backward][p->mask].finish;
    q.mask_item = p->mask == RL_NO_MASK ? 0 : p->mask == RL_BOOLS ? 1 : p->mask == RL_SUMS ? q.s.wide : q.s.item;
    for (int64_t d = 0; d < p->nd; d++) q.batch *= p->size[d];
    q.pairs = p->dtype == RL_BF16 && rl_product_has_words(RL_BF16) && p->e > 0 && p->v > 0;
    return q;
}

/* Cut each item of the batch into tasks of whole blocks of rows, so many in all at least, and run them. */
static int run_blocks(plan *q, int64_t rows, int64_t block, int64_t tasks, double ns) {
    q->block = block;
    q->blocks = ceil_div(rows, block);
    q->per = ceil_div(q->blocks, larger(1, smaller(q->blocks, ceil_div(tasks, q->batch))));
    q->groups = ceil_div(q->blocks, q->per);
    tasks = q->batch * q->groups;
    if (tasks == 1 || ns < 20000) return (int)run(q, 0, tasks);
    ns /= (double)tasks;
    return (int)rl_parallel_for(run, q, tasks, ns < 10000 ? (int64_t)(10000 / ns) : 1);
}

/* About how long one of the products takes on one core; this decides only how work is cut. */
static double ns_of(const plan *q) {
    const rl_attention *p = q->p;
    double work = (double)q->batch * (double)p->m * (double)p->n * (double)larger(p->e, p->v);
    return work / (q->s.wide == 8 ? 40 : 80) * (p->causal ? 0.5 : 1);
}

int rl_attention_run(const rl_attention *p) {
    plan q = plan_of(p);
    int64_t threads = rl_in_parallel() ? 1 : rl_num_threads(), tasks = threads > 1 ? 4 * threads : 1;
    double ns = (p->backward ? 5 : 2) * ns_of(&q);
    if (q.batch == 0) return 0;
    if (!p->backward) return p->m ? run_blocks(&q, p->m, QUERIES, tasks, ns) : 0;
    q.queries = q.keys = 1;
    /* A task that makes all gradients of an item takes five products; separate tasks for queries and for keys take
     * seven. */
    if (threads == 1 || ns < 20000 || 5 * ceil_div(q.batch, threads) * threads <= 7 * q.batch)
        return run_blocks(&q, 1, 1, 1, ns);
    q.keys = 0;
    int rc = p->m ? run_blocks(&q, p->m, QUERIES_BACK, tasks, ns) : 0;
    q.queries = 0, q.keys = 1;
    return rc || !p->n ? rc : run_blocks(&q, p->n, KEYS, tasks, ns);
}
