/* Many products of tiny matrices: a vector's lanes are products of the batch, for which a tile would be mostly empty.
 *
 * The elements of A and B are packed by the dtype's packing kernel, each as a vector over the batch, and those of C are
 * written by it, turned. A sum is the chain that it is elsewhere (product.h, dots.py), so its bits are the same. */
#include <math.h>
#include <string.h>

#include "clones.h"
#include "integers.h"
#include "pool.h"
#include "product_tiny.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WORDS __attribute__((target("avx512f,avx512bf16")))
#endif

enum {
    MOST = RL_TINY, /* rows, columns and terms */
    LANES = 16,
    LEAST = 16, /* products */
    LINE = LANES * 4
};

typedef struct {
    rl_product p;
    rl_product_parts s;
    rl_panel_fn out; /* what writes C */
    int64_t lanes, c_item;
    int pairs; /* B is complex, and what is counted are its parts */
    int words; /* a term is a pair of bfloat16 */
} plan;

typedef struct {
    char a[MOST * MOST * LINE], b[MOST * MOST * LINE], c[MOST * MOST * LINE];
} room;

#define CHAINS(NAME, T, N, FMA)                                                                                       \
    FUSED static void NAME(const rl_product *p, const T *a, const T *b, T *restrict c) {                              \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n; j++, c += N) {                                                              \
                T sums[N] = {0};                                                                                      \
                for (int64_t l = 0; l < p->k; l++) {                                                                  \
                    const T *x = a + (i * p->k + l) * N, *y = b + (l * p->n + j) * N;                                 \
                    for (int w = 0; w < N; w++) sums[w] = FMA(x[w], y[w], sums[w]);                                   \
                }                                                                                                     \
                memcpy(c, sums, sizeof sums);                                                                         \
            }                                                                                                         \
    }
CHAINS(chains_f32, float, 16, fmaf)
CHAINS(chains_f64, double, 8, fma)

/* The same of complex numbers, whose rows of B are two: their parts (re, im), and those of i times them (-im, re). */
#define CHAINS_OF_PAIRS(NAME, T, N, FMA)                                                                              \
    FUSED static void NAME(const rl_product *p, const T *a, const T *b, T *restrict c) {                              \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n; j++, c += N) {                                                              \
                T sums[N] = {0}, sign = j % 2 ? 1 : -1;                                                               \
                for (int64_t l = 0; l < p->k; l += 2) {                                                               \
                    const T *x = a + (i * p->k + l) * N, *y = b + l / 2 * p->n * N;                                   \
                    const T *one = y + j * N, *other = y + (j ^ 1) * N;                                               \
                    for (int w = 0; w < N; w++) sums[w] = FMA(x[w], one[w], sums[w]);                                 \
                    for (int w = 0; w < N; w++) sums[w] = FMA(x[N + w], sign * other[w], sums[w]);                    \
                }                                                                                                     \
                memcpy(c, sums, sizeof sums);                                                                         \
            }                                                                                                         \
    }
CHAINS_OF_PAIRS(chains_c64, float, 16, fmaf)
CHAINS_OF_PAIRS(chains_c128, double, 8, fma)

#ifdef WORDS
/* The same of words, pairs of bfloat16 that have been widened to float32. */
WORDS static __m512bh words_of(const char *even, const char *odd) {
    __m512i low = _mm512_srli_epi32(_mm512_loadu_si512(even), 16);
    __m512i high = odd ? _mm512_loadu_si512(odd) : _mm512_setzero_si512();
    return (__m512bh)_mm512_or_si512(low, high);
}

WORDS static void chains_of_words(const rl_product *p, const char *a, const char *b, char *c) {
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++, c += LINE) {
            __m512 sums = _mm512_setzero_ps();
            for (int64_t l = 0; l < p->k; l += 2) {
                const char *x = a + (i * p->k + l) * LINE, *y = b + (l * p->n + j) * LINE;
                int two = l + 1 < p->k;
                sums = _mm512_dpbf16_ps(sums, words_of(x, two ? x + LINE : NULL),
                                        words_of(y, two ? y + p->n * LINE : NULL));
            }
            /* What is left of a step of the kernels' is zeros, which make a zero of -0. */
            __m512bh zeros = (__m512bh)_mm512_setzero_si512();
            _mm512_storeu_ps(c, _mm512_dpbf16_ps(sums, zeros, zeros));
        }
}
#endif

/* Element (i, l) of the rows x columns matrices of `count` products as a vector; their rows, or else their columns, are
 * packed at once. */
static void pack(const plan *q, const char *from, int64_t bs, int64_t rs, int64_t cs, int64_t rows, int64_t columns,
                 int64_t count, char *to) {
    int64_t item = q->s.item, line = q->lanes * q->s.wide;
    if (cs == item && rs == columns * item)
        q->s.pack(&(rl_panel){from, bs, cs, count, rows * columns, to, line});
    else if (rs == item)
        for (int64_t l = 0; l < columns; l++)
            q->s.pack(&(rl_panel){from + l * cs, bs, rs, count, rows, to + l * line, columns * line});
    else
        for (int64_t i = 0; i < rows; i++)
            q->s.pack(&(rl_panel){from + i * rs, bs, cs, count, columns, to + i * columns * line, line});
}

/* B's rows x columns elements, or their parts. */
static void pack_b(const plan *q, const char *from, int64_t bs, int64_t count, char *to) {
    const rl_product *p = &q->p;
    int64_t item = q->s.item, line = q->lanes * q->s.wide;
    if (!q->pairs)
        pack(q, from, bs, p->b_rs, p->b_cs, p->k, p->n, count, to);
    else if (p->b_cs == item)
        pack(q, from, bs, 2 * p->b_rs, item, p->k / 2, p->n, count, to);
    else
        for (int64_t j = 0; j < p->n; j++)
            q->s.pack(&(rl_panel){from + j / 2 * 2 * p->b_cs + j % 2 * item, bs, 2 * p->b_rs, count, p->k / 2,
                                  to + j * line, p->n * line});
}

static void write(const plan *q, const char *own, char *c, int64_t count) {
    const rl_product *p = &q->p;
    int64_t item = q->c_item, wide = q->s.wide, line = q->lanes * wide;
    if (p->c_cs == item && p->c_rs == p->n * item)
        q->out(&(rl_panel){own, line, wide, p->m * p->n, count, c, p->c_bs});
    else if (p->c_cs == item)
        for (int64_t i = 0; i < p->m; i++)
            q->out(&(rl_panel){own + i * p->n * line, line, wide, p->n, count, c + i * p->c_rs, p->c_bs});
    else
        for (int64_t e = 0; e < p->m * p->n; e++)
            q->out(&(rl_panel){own + e * line, line, wide, 1, count, c + e / p->n * p->c_rs + e % p->n * p->c_cs,
                               p->c_bs});
}

static void multiply(const plan *q, room *r) {
    const rl_product *p = &q->p;
#ifdef WORDS
    if (q->words) {
        chains_of_words(p, r->a, r->b, r->c);
        return;
    }
#endif
    if (p->dtype == RL_F64)
        (q->pairs ? chains_c128 : chains_f64)(p, (const double *)r->a, (const double *)r->b, (double *)r->c);
    else
        (q->pairs ? chains_c64 : chains_f32)(p, (const float *)r->a, (const float *)r->b, (float *)r->c);
}

static int64_t run_blocks(void *ctx, int64_t begin, int64_t end) {
    const plan *q = ctx;
    const rl_product *p = &q->p;
    room r = {{0}, {0}, {0}};
    if (p->b_bs == 0) pack_b(q, p->b, 0, q->lanes, r.b);
    for (int64_t t = begin; t < end; t++) {
        int64_t first = t * q->lanes, count = smaller(q->lanes, p->batch - first);
        pack(q, p->a + first * p->a_bs, p->a_bs, p->a_rs, p->a_cs, p->m, p->k, count, r.a);
        if (p->b_bs != 0) pack_b(q, p->b + first * p->b_bs, p->b_bs, count, r.b);
        multiply(q, &r);
        write(q, r.c, p->c + first * p->c_bs, count);
    }
    return 0;
}

/* One product of many rows by a tiny matrix is many products of one row. */
static int is_tall(const rl_product *p) {
    return p->batch == 1 && p->m >= LEAST && rl_product_has_words(p->dtype);
}

/* Whether bfloat16 may be multiplied by AMX, which sums in another order. (Virtual machines take 17 us to answer.) */
static int has_amx(void) {
    static _Atomic int known = -1;
    if (known < 0) known = (rl_processor() & RL_HAS_AMX_BF16) != 0;
    return known;
}

int rl_product_is_tiny(const rl_product *p, int pairs) {
    if (p->gather || p->k < 1 || p->k > MOST || p->n > MOST || !rl_product_serves(p->dtype)) return 0;
    if (p->dtype != RL_F32 && p->dtype != RL_F64 && p->dtype != RL_F16 && p->dtype != RL_BF16) return 0;
    if (rl_product_has_words(p->dtype) && has_amx()) return 0;
    if (p->wide && !rl_product_turning(p->dtype)) return 0;
    return (!pairs && is_tall(p)) || (p->batch >= LEAST && p->m <= MOST);
}

int rl_product_run_tiny(const rl_product *given, int pairs, int parallel) {
    plan q = {.p = *given, .s = rl_product_kernels(given->dtype), .pairs = pairs};
    q.words = rl_product_has_words(given->dtype);
    rl_product *p = &q.p;
    q.out = p->wide ? rl_product_turning(p->dtype) : rl_product_narrowing(p->dtype);
    if (is_tall(p)) p->batch = p->m, p->m = 1, p->a_bs = p->a_rs, p->c_bs = p->c_rs, p->b_bs = 0;
    q.lanes = LINE / q.s.wide, q.c_item = p->wide ? q.s.wide : q.s.item;
    int64_t blocks = ceil_div(p->batch, q.lanes);
    double ns = 20 + 0.3 * (double)(p->m * p->n * p->k); /* of a block; only for how work is cut */
    double least = rl_shared_from_ns(ns * (double)blocks);
    if (!parallel || rl_in_parallel() || ns * (double)blocks < least) return (int)run_blocks(&q, 0, blocks);
    return (int)rl_parallel_for(run_blocks, &q, blocks, ns < least ? (int64_t)(least / ns) : 1);
}
