/* Products of complex numbers by the kernels for real ones.
 *
 * A row of A is one of twice as many real terms, its real and imaginary parts, and so is one of C. Then each row of B
 * is two: itself, and i times itself. So C is the product of A and those rows, A and C as they lie, and what differs
 * from a real product is the packing of B. An element's parts are chains over re(a) b and im(a) (i b) in turns. */
#include "product_pairs.h"

#include <string.h>

#include "alloc.h"
#include "clones.h"
#include "integers.h"
#include "pool.h"
#include "product_packing.h"
#include "product_tiny.h"

static int of_pairs(const rl_product *p) { return p->dtype == RL_C64 || p->dtype == RL_C128; }
static int64_t bytes_of(const rl_product *p) { return p->dtype == RL_C64 ? 8 : 16; }

/* Say its dtype, and count its terms and columns, as those of its parts. */
static void count_parts(rl_product *p) {
    p->dtype = p->dtype == RL_C64 ? RL_F32 : RL_F64;
    p->n *= 2, p->k *= 2;
}

int rl_product_takes_pairs(const rl_product *p) {
    rl_product parts = *p;
    if (!of_pairs(p)) return 0;
    count_parts(&parts);
    return rl_product_serves(parts.dtype) && (p->c_cs == bytes_of(p) || p->c_rs == bytes_of(p));
}

int rl_product_pays_then(const rl_product *p) {
    rl_product parts = *p;
    int pairs = of_pairs(p);
    if (pairs) count_parts(&parts);
    return !rl_product_is_tiny(&parts, pairs) && rl_product_parts_pay_then(&parts, pairs);
}

/* ---- packing of B ----------------------------------------------------------------------------------------------- */

/* Rows of B: each element's parts, and behind these, `width` elements from the row's beginning, those of i times it. */
#define PACK_ROWS(NAME, T)                                                                              \
    ALWAYS_INLINE void NAME(const char *b, int64_t cs, int64_t rs, int64_t n, int64_t k, int64_t width, \
                            T *restrict to) {                                                           \
        for (int64_t l = 0; l < k; l++, b += rs, to += 4 * width)                                       \
            for (int64_t j = 0; j < n; j++) {                                                           \
                const T *x = (const T *)(b + j * cs);                                                   \
                to[2 * j] = x[0], to[2 * j + 1] = x[1];                                                 \
                to[2 * width + 2 * j] = -x[1], to[2 * width + 2 * j + 1] = x[0];                        \
            }                                                                                           \
    }
PACK_ROWS(rows_f32, float)
PACK_ROWS(rows_f64, double)

/* The usual widths and strides are known to the compiler. */
#define PACK_PAIRS(NAME, ROWS, T, W)                                                                             \
    CLONES static void NAME(const char *b, int64_t cs, int64_t rs, int64_t n, int64_t k, int64_t width, T *to) { \
        if (n == W && width == W && cs == 2 * sizeof(T))                                                         \
            ROWS(b, 2 * sizeof(T), rs, W, k, W, to);                                                             \
        else if (n == W / 2 && width == W && cs == 2 * sizeof(T))                                                \
            ROWS(b, 2 * sizeof(T), rs, W / 2, k, W, to);                                                         \
        else if (n == W && width == W)                                                                           \
            ROWS(b, cs, rs, W, k, W, to);                                                                        \
        else                                                                                                     \
            ROWS(b, cs, rs, n, k, width, to);                                                                    \
    }
PACK_PAIRS(pack_f32, rows_f32, float, 16)
PACK_PAIRS(pack_f64, rows_f64, double, 8)

void rl_pack_pairs(const char *b, int64_t cs, int64_t rs, int64_t item, int64_t n, int64_t k, int64_t width, char *to) {
    if (item == 4)
        pack_f32(b, cs, rs, n, k, width, (float *)to);
    else
        pack_f64(b, cs, rs, n, k, width, (double *)to);
}

/* ---- rows of A -------------------------------------------------------------------------------------------------- */

typedef struct {
    const rl_product *p;
    int64_t item;
    char *to;
} rows;

enum { ROWS_AT_ONCE = 16, LINE = 64 };

/* Elements of `item` bytes: to[i * k + l] = from[i * rs + l * cs]; a row's line at a time. */
ALWAYS_INLINE void turn(const char *from, int64_t rs, int64_t cs, int64_t m, int64_t k, int64_t item, char *to) {
    const int64_t step = LINE / item;
    for (int64_t l = 0; l < k; l += step)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = l; j < smaller(l + step, k); j++)
                memcpy(to + (i * k + j) * item, from + i * rs + j * cs, (size_t)item);
}

CLONES static void turn_rows(const char *from, int64_t rs, int64_t cs, int64_t m, int64_t k, int64_t item, char *to) {
    if (item == 8)
        turn(from, rs, cs, m, k, 8, to);
    else
        turn(from, rs, cs, m, k, 16, to);
}

static int64_t copy_rows(void *ctx, int64_t begin, int64_t end) {
    const rows *r = ctx;
    const rl_product *p = r->p;
    int64_t of_one = ceil_div(p->m, ROWS_AT_ONCE);
    for (int64_t t = begin; t < end; t++) {
        int64_t i = t % of_one * ROWS_AT_ONCE;
        turn_rows(p->a + t / of_one * p->a_bs + i * p->a_rs, p->a_rs, p->a_cs, smaller(p->m - i, ROWS_AT_ONCE), p->k,
                  r->item, r->to + (t / of_one * p->m + i) * p->k * r->item);
    }
    return 0;
}

/* Let A be a copy with contiguous rows. */
static int copy_a(rl_product *p, int64_t item, int parallel, char **copy, size_t *bytes) {
    if (p->batch == 1) p->a_bs = 0;
    int64_t count = p->a_bs ? p->batch : 1, tasks = count * ceil_div(p->m, ROWS_AT_ONCE);
    *bytes = (size_t)(count * p->m * p->k * item);
    *copy = rl_alloc(*bytes);
    if (!*copy) return RL_NO_MEMORY;
    rows r = {p, item, *copy};
    double ns = (double)(ROWS_AT_ONCE * p->k), least = rl_shared_from_ns(ns * (double)tasks);
    if (!parallel || rl_in_parallel() || ns * (double)tasks < least)
        copy_rows(&r, 0, tasks);
    else
        rl_parallel_for(copy_rows, &r, tasks, ns < least ? (int64_t)(least / ns) : 1);
    p->a = *copy, p->a_rs = p->k * item, p->a_cs = item;
    if (p->a_bs) p->a_bs = p->m * p->k * item;
    return 0;
}

/* The parts of a product as one of real numbers, C (m, 2 n) = A (m, 2 k) @ B (2 k, 2 n), whose B is what rl_pack_pairs
 * makes of the complex one: strides along B are halved, so that they are right for even rows and columns. `copy`: NULL,
 * or what A became because its rows are not contiguous. Returns 0 or RL_NO_MEMORY. */
static int as_parts(rl_product *p, int parallel, char **copy, size_t *bytes) {
    int64_t item = bytes_of(p);
    if (p->c && p->c_cs != item) rl_product_turn(p);
    if (p->a_cs != item && p->k > 1 && p->m > 0 && p->n > 0 && p->batch > 0) {
        int rc = copy_a(p, item, parallel, copy, bytes);
        if (rc != 0) return rc;
    }
    count_parts(p);
    p->a_cs = p->c_cs = item / 2, p->b_rs /= 2, p->b_cs /= 2;
    return 0;
}

static int run(const rl_product *p, int pairs, int parallel) {
    if (p->m > 0 && p->n > 0 && !p->then && !p->add && rl_product_is_tiny(p, pairs))
        return rl_product_run_tiny(p, pairs, parallel);
    return rl_product_run_parts(p, pairs, parallel);
}

int rl_product_run(const rl_product *given, int parallel) {
    if (!of_pairs(given)) return run(given, 0, parallel);
    rl_product p = *given;
    char *copy = NULL;
    size_t bytes = 0;
    int rc = as_parts(&p, parallel, &copy, &bytes);
    if (rc == 0) rc = run(&p, 1, parallel);
    if (copy) rl_free(copy, bytes);
    return rc;
}
