#include "resample.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "checked.h"
#include "integers.h"
#include "pool.h"
#include "processor.h"
#include "targets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* Pixel o of the result is made from `taps` pixels from first[o] on, with weights w[o * taps ...]; the number of taps
 * is even, so that they can be processed in pairs. A pixel with a weight of 0 may not exist: `count` says how many do.
   */
typedef struct {
    int64_t out, taps;
    int bits; /* the bits of weights after the point */
    int32_t *first, *count;
    int16_t *w;
    size_t bytes;
} table;

static const double PI = 3.14159265358979323846;

static double near_(double x, double a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
static double far_(double x, double a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

static double sinc(double x) { return x == 0 ? 1 : sin(PI * x) / (PI * x); }

static double filter(double t, int reach) {
    if (reach == 1) return t < 1 ? 1 - t : 0;
    if (reach == 3) return t < 3 ? sinc(t) * sinc(t / 3) : 0;
    return t < 1 ? near_(t, -0.5) : t < 2 ? far_(t, -0.5) : 0;
}

static int64_t within(int64_t x, int64_t last) { return x < 0 ? 0 : x > last ? last : x; }

/* Filters as wide as the step. */
static void wide_taps(table *t, double *w, int64_t n, double step, int steps) {
    double unit = step > 1 ? step : 1, reach = unit * steps;
    for (int64_t o = 0; o < t->out; o++) {
        double centre = ((double)o + 0.5) * step, total = 0, from = centre - reach + 0.5, to = centre + reach + 0.5;
        int64_t low = from > 0 ? from < (double)n ? (int64_t)from : n - 1 : 0, high = to < (double)n ? (int64_t)to : n;
        double *row = w + o * t->taps;
        if (high > low + t->taps) high = low + t->taps;
        for (int64_t i = low; i < high; i++) {
            row[i - low] = filter(fabs(((double)i - centre + 0.5) / unit), steps);
            total += row[i - low];
        }
        t->first[o] = (int32_t)low;
        t->count[o] = high > low ? (int32_t)(high - low) : 1;
        if (total != 0)
            for (int64_t i = low; i < high; i++) row[i - low] /= total;
    }
}

/* The two or four pixels around a position; pixels beyond the border are those of the border. */
static void few_taps(table *t, double *w, int64_t n, double step, int cubic, int corners) {
    for (int64_t o = 0; o < t->out; o++) {
        double at = corners ? (double)o * step : ((double)o + 0.5) * step - 0.5;
        if (!cubic && at < 0) at = 0;
        at = at < (double)n + 4 ? at : (double)n + 4; /* all of them are the border */
        double low = floor(at), f = at - low, weight[4];
        int taps = cubic ? 4 : 2;
        int64_t base = (int64_t)low - (cubic ? 1 : 0), begin = within(base, n - 1);
        if (cubic) {
            weight[0] = far_(f + 1, -0.75), weight[1] = near_(f, -0.75);
            weight[2] = near_(1 - f, -0.75), weight[3] = far_(2 - f, -0.75);
        } else {
            weight[0] = 1 - f, weight[1] = f;
        }
        for (int k = 0; k < taps; k++) w[o * t->taps + within(base + k, n - 1) - begin] += weight[k];
        t->first[o] = (int32_t)begin;
        t->count[o] = (int32_t)(within(base + taps - 1, n - 1) - begin + 1);
    }
}

static void release_table(table *t) { rl_free(t->first, t->bytes); }

/* No more taps than any pixel has: where a filter of so many begins decides whether it covers them all. */
static void trim(table *t, double *w) {
    int64_t most = 0;
    for (int64_t o = 0; o < t->out; o++) most = t->count[o] > most ? t->count[o] : most;
    most += most & 1;
    if (most >= t->taps) return;
    for (int64_t o = 0; o < t->out; o++) memmove(w + o * most, w + o * t->taps, (size_t)most * sizeof *w);
    t->taps = most;
}

static int64_t make_table(table *t, int64_t n, int64_t out, double step, const rl_resample *c) {
    double width = c->reach * (step > 1 ? step : 1);
    int64_t taps = c->antialias ? (width < (double)n ? 2 * (int64_t)ceil(width) + 1 : n) : 2 * c->reach;
    if (taps > n) taps = n;
    int64_t all;
    t->out = out, t->taps = taps + (taps & 1);
    if (n > INT32_MAX || rl_times(out, 64 * t->taps, &all)) return RL_NO_MEMORY; /* lanes read beyond taps */
    size_t places = (size_t)out * sizeof(int32_t), weights = (size_t)out * (size_t)t->taps;
    t->bytes = 2 * places + weights * sizeof(int16_t);
    double *w = rl_alloc(weights * sizeof *w), largest = 0;
    t->first = rl_alloc(t->bytes);
    if (!w || !t->first) {
        rl_free(w, weights * sizeof *w), release_table(t);
        return RL_NO_MEMORY;
    }
    t->count = t->first + out, t->w = (int16_t *)(t->count + out);
    memset(w, 0, weights * sizeof *w);
    if (c->antialias)
        wide_taps(t, w, n, step, c->reach);
    else
        few_taps(t, w, n, step, c->reach == 2, c->corners);
    trim(t, w);
    for (size_t i = 0; i < (size_t)(out * t->taps); i++) largest = w[i] > largest ? w[i] : largest;
    t->bits = 0;
    for (int k = 1; k < 22; k++)
        if (largest * (double)(1 << k) + 0.5 < 32768.0) t->bits = k;
    for (size_t i = 0; i < (size_t)(out * t->taps); i++) {
        double q = w[i] * (double)(1 << t->bits);
        t->w[i] = (int16_t)(q < 0 ? q - 0.5 : q + 0.5);
    }
    rl_free(w, weights * sizeof *w);
    return 0;
}

/* ---- rows and columns of one strip ------------------------------------------------------------------------------ */

/* Along a row, sixteen bytes of the result at a time. Byte j of a block is made from pairs of taps; the bytes of pair k
 * are among the 64 from `base` + 2 k `depth` on, at the same places for every k. */
typedef struct {
    int64_t blocks, pairs;
    int64_t *base;
    uint8_t *place; /* 64 per block: the places of the two bytes of each of sixteen pairs, each widened to 16 bits */
    int16_t *w;     /* 32 per block and pair */
    size_t bytes;
} lanes;

/* Along the taps of one pixel of the result at a time, if those of sixteen bytes are too far apart. The numbers of a
 * vector are pairs of taps of `wide` channels each, 1, 2 or 4; `chunks` vectors hold a pixel's taps. */
typedef struct {
    int64_t chunks, pairs, wide; /* pairs of a chunk */
    uint8_t *place;              /* the places of the bytes of a chunk's pairs, in the order of the numbers */
    int16_t *w;                  /* two per number, for each chunk of each pixel */
    size_t bytes;
} along;

typedef struct {
    const rl_resample *call;
    table across, down; /* `out` 0: this dimension is not resampled */
    lanes lanes;        /* blocks 0: rows are processed pixel by pixel, */
    along along;        /* along the taps; chunks 0: one after the other */
    int64_t strips, rows;
    int level;
} job;

static uint8_t rounded(int32_t total, int bits) {
    int32_t y = (total + ((int32_t)1 << bits >> 1)) >> bits;
    return (uint8_t)(y < 0 ? 0 : y > 255 ? 255 : y);
}

static void row_across(const job *j, const uint8_t *x, uint8_t *y) {
    const table *t = &j->across;
    int64_t depth = j->call->depth;
    for (int64_t o = 0; o < t->out; o++) {
        const uint8_t *from = x + t->first[o] * depth;
        const int16_t *w = t->w + o * t->taps;
        for (int64_t d = 0; d < depth; d++) {
            int32_t total = 0;
            for (int64_t k = 0; k < t->count[o]; k++) total += from[k * depth + d] * w[k];
            y[o * depth + d] = rounded(total, t->bits);
        }
    }
}

/* One row of the result from the rows x, x + step, ... */
static void row_down(const uint8_t *x, int64_t step, int64_t count, const int16_t *w, int bits, int64_t n, uint8_t *y) {
    enum { BLOCK = 64 };
    for (int64_t i = 0; i < n; i += BLOCK) {
        int32_t total[BLOCK] = {0};
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        for (int64_t k = 0; k < count; k++)
            for (int64_t d = 0; d < m; d++) total[d] += x[k * step + i + d] * w[k];
        for (int64_t d = 0; d < m; d++) y[i + d] = rounded(total[d], bits);
    }
}

#if defined(__x86_64__)
enum { ROWS = 4 }; /* how many rows are done at once */

/* `count` (a constant) rows that lie `step` apart, into rows `to` apart: places and weights are read once for all. */
BYTES ALWAYS_INLINE void rows_512(const job *j, const uint8_t *x, int64_t step, int64_t n, uint8_t *y, int64_t to,
                                  int64_t m, const int count) {
    const lanes *l = &j->lanes;
    const __m512i half = _mm512_set1_epi32((int32_t)1 << j->across.bits >> 1);
    const __m128i bits = _mm_cvtsi32_si128(j->across.bits);
    const int64_t two = 2 * j->call->depth;
    const int16_t *w = l->w;
    for (int64_t b = 0; b < l->blocks; b++) {
        const __m512i place = _mm512_loadu_si512(l->place + 64 * b);
        const uint8_t *from = x + l->base[b];
        int64_t left = n - l->base[b]; /* bytes of the row from there on */
        __m512i total[ROWS];
        for (int r = 0; r < count; r++) total[r] = half;
#define ADD_PAIR(v)                                                                                                    \
    total[r] = _mm512_add_epi32(                                                                                       \
        total[r], _mm512_madd_epi16(_mm512_maskz_permutexvar_epi8(0x5555555555555555ULL, place, v), weights))
        if (two * (l->pairs - 1) + 64 <= left) {
            for (int64_t k = 0; k < l->pairs; k++, w += 32, from += two) {
                const __m512i weights = _mm512_loadu_si512(w);
                for (int r = 0; r < count; r++) ADD_PAIR(_mm512_loadu_si512(from + r * step));
            }
        } else {
            for (int64_t k = 0; k < l->pairs; k++, w += 32, from += two, left -= two) {
                const __mmask64 there = left >= 64 ? ~0ULL : left > 0 ? (1ULL << left) - 1 : 0;
                const __m512i weights = _mm512_loadu_si512(w);
                for (int r = 0; r < count; r++) ADD_PAIR(_mm512_maskz_loadu_epi8(there, from + r * step));
            }
        }
#undef ADD_PAIR
        const __mmask16 kept = m - 16 * b >= 16 ? 0xFFFF : (__mmask16)((1u << (m - 16 * b)) - 1);
        for (int r = 0; r < count; r++) {
            __m512i made = _mm512_max_epi32(_mm512_sra_epi32(total[r], bits), _mm512_setzero_si512());
            _mm_mask_storeu_epi8(y + r * to + 16 * b, kept, _mm512_cvtusepi32_epi8(made));
        }
    }
}

BYTES static void rows_across_512(const job *j, const uint8_t *x, int64_t step, int64_t count, uint8_t *y, int64_t to) {
    int64_t n = j->call->w * j->call->depth, m = j->across.out * j->call->depth, r = 0;
    for (; r + ROWS <= count; r += ROWS) rows_512(j, x + r * step, step, n, y + r * to, to, m, ROWS);
    for (; r < count; r++) rows_512(j, x + r * step, step, n, y + r * to, to, m, 1);
}

/* Pixel o of a row; bytes that are written behind it are overwritten by the next pixels. */
static inline void put_pixel(uint32_t made, const job *j, int64_t o, uint8_t *y) {
    const int64_t depth = j->call->depth;
    if (depth == 1)
        y[o] = (uint8_t)made;
    else if (o + 4 <= j->across.out)
        memcpy(y + o * depth, &made, 4);
    else
        memcpy(y + o * depth, &made, (size_t)depth);
}

/* `count` (a constant) rows that lie `step` apart, into rows `to` apart: places and weights are read once for all. */
BYTES ALWAYS_INLINE void along_512(const job *j, const uint8_t *x, int64_t step, uint8_t *y, int64_t to,
                                   const int count) {
    const along *a = &j->along;
    const int64_t depth = j->call->depth, n = j->call->w * depth, chunk = 2 * a->pairs * depth;
    const __m512i place = _mm512_loadu_si512(a->place), half = _mm512_set1_epi32((int32_t)1 << j->across.bits >> 1);
    const __m128i bits = _mm_cvtsi32_si128(j->across.bits);
    const int16_t *w = a->w;
    for (int64_t o = 0; o < j->across.out; o++) {
        int64_t at = j->across.first[o] * depth;
        const int inside = at + (a->chunks - 1) * chunk + 64 <= n;
        __m512i total[ROWS];
        for (int r = 0; r < count; r++) total[r] = _mm512_setzero_si512();
        for (int64_t k = 0; k < a->chunks; k++, w += 32, at += chunk) {
            const __m512i weights = _mm512_loadu_si512(w);
            const int64_t left = n - at;
            const __mmask64 there = inside || left >= 64 ? ~0ULL : left > 0 ? (1ULL << left) - 1 : 0;
            for (int r = 0; r < count; r++) {
                __m512i v = inside ? _mm512_loadu_si512(x + r * step + at)
                                   : _mm512_maskz_loadu_epi8(there, x + r * step + at);
                v = _mm512_maskz_permutexvar_epi8(0x5555555555555555ULL, place, v);
                total[r] = _mm512_add_epi32(total[r], _mm512_madd_epi16(v, weights));
            }
        }
        /* Add the quarters of each row's sums, so that each row has a quarter of the result. */
        const __m512i u = total[0], v = total[1 % count], p = total[2 % count], q = total[3 % count];
        __m512i first = _mm512_add_epi32(_mm512_shuffle_i64x2(u, v, 0x44), _mm512_shuffle_i64x2(u, v, 0xEE));
        __m512i last = _mm512_add_epi32(_mm512_shuffle_i64x2(p, q, 0x44), _mm512_shuffle_i64x2(p, q, 0xEE));
        __m512i sum = _mm512_shuffle_i64x2(first, last, 0x88);
        sum = _mm512_add_epi32(sum, _mm512_shuffle_i64x2(first, last, 0xDD));
        if (a->wide < 4) sum = _mm512_add_epi32(sum, _mm512_shuffle_epi32(sum, (_MM_PERM_ENUM)0x4E));
        if (a->wide < 2) sum = _mm512_add_epi32(sum, _mm512_shuffle_epi32(sum, (_MM_PERM_ENUM)0xB1));
        sum = _mm512_max_epi32(_mm512_sra_epi32(_mm512_add_epi32(sum, half), bits), _mm512_setzero_si512());
        uint32_t bytes[ROWS];
        _mm_storeu_si128((__m128i *)bytes, _mm512_cvtusepi32_epi8(sum));
        for (int r = 0; r < count; r++) put_pixel(bytes[r], j, o, y + r * to);
    }
}

BYTES static void rows_along_512(const job *j, const uint8_t *x, int64_t step, int64_t count, uint8_t *y, int64_t to) {
    int64_t r = 0;
    for (; r + ROWS <= count; r += ROWS) along_512(j, x + r * step, step, y + r * to, to, ROWS);
    for (; r < count; r++) along_512(j, x + r * step, step, y + r * to, to, 1);
}

/* Add rows u and v, weighted by the pairs in ww, to the sums of four quarters of a vector's bytes. */
#define ADD_TWO_ROWS(V, P)                                                                                            \
    V low = P##_unpacklo_epi8(u, v), high = P##_unpackhi_epi8(u, v);                                                  \
    a = P##_add_epi32(a, P##_madd_epi16(P##_unpacklo_epi8(low, zero), ww));                                           \
    b = P##_add_epi32(b, P##_madd_epi16(P##_unpackhi_epi8(low, zero), ww));                                           \
    c = P##_add_epi32(c, P##_madd_epi16(P##_unpacklo_epi8(high, zero), ww));                                          \
    d = P##_add_epi32(d, P##_madd_epi16(P##_unpackhi_epi8(high, zero), ww));

BYTES static void row_down_512(const uint8_t *x, int64_t step, int64_t count, const int16_t *w, int shift, int64_t n,
                               uint8_t *y) {
    const __m512i half = _mm512_set1_epi32((int32_t)1 << shift >> 1), zero = _mm512_setzero_si512();
    const __m128i bits = _mm_cvtsi32_si128(shift);
    for (int64_t i = 0; i < n; i += 64) {
        __mmask64 there = n - i >= 64 ? ~0ULL : (1ULL << (n - i)) - 1;
        __m512i a = half, b = half, c = half, d = half;
        for (int64_t k = 0; k < count; k += 2) {
            __m512i u = _mm512_maskz_loadu_epi8(there, x + k * step + i);
            __m512i v = k + 1 < count ? _mm512_maskz_loadu_epi8(there, x + (k + 1) * step + i) : zero;
            int32_t pair = (uint16_t)w[k] | (int32_t)((uint32_t)(uint16_t)w[k + 1] << 16);
            __m512i ww = _mm512_set1_epi32(pair);
            ADD_TWO_ROWS(__m512i, _mm512)
        }
        __m512i p = _mm512_packs_epi32(_mm512_sra_epi32(a, bits), _mm512_sra_epi32(b, bits));
        __m512i q = _mm512_packs_epi32(_mm512_sra_epi32(c, bits), _mm512_sra_epi32(d, bits));
        _mm512_mask_storeu_epi8(y + i, there, _mm512_packus_epi16(p, q));
    }
}

/* Two groups of four bytes per step: each group's pairs are among 16 bytes. `n` is at least 16. */
AVX2 static void row_across_256(const job *j, const uint8_t *x, int64_t n, uint8_t *y, int64_t m) {
    const lanes *l = &j->lanes;
    const __m256i half = _mm256_set1_epi32((int32_t)1 << j->across.bits >> 1);
    const __m128i bits = _mm_cvtsi32_si128(j->across.bits);
    const int64_t two = 2 * j->call->depth;
    const int16_t *w = l->w;
    for (int64_t b = 0; b < l->blocks; b++) {
        const __m256i place = _mm256_loadu_si256((const __m256i *)(l->place + 32 * b));
        const int64_t first = l->base[2 * b], second = l->base[2 * b + 1];
        const int careful = (first > second ? first : second) + two * (l->pairs - 1) + 16 > n;
        __m256i total = half;
        for (int64_t k = 0; k < l->pairs; k++, w += 16) {
            __m128i u, v;
            if (careful) {
                uint8_t some[32] = {0};
                int64_t p = first + k * two, q = second + k * two;
                if (p < n) memcpy(some, x + p, (size_t)(n - p < 16 ? n - p : 16));
                if (q < n) memcpy(some + 16, x + q, (size_t)(n - q < 16 ? n - q : 16));
                u = _mm_loadu_si128((const __m128i *)some), v = _mm_loadu_si128((const __m128i *)(some + 16));
            } else {
                u = _mm_loadu_si128((const __m128i *)(x + first + k * two));
                v = _mm_loadu_si128((const __m128i *)(x + second + k * two));
            }
            __m256i both = _mm256_shuffle_epi8(_mm256_set_m128i(v, u), place);
            total = _mm256_add_epi32(total, _mm256_madd_epi16(both, _mm256_loadu_si256((const __m256i *)w)));
        }
        total = _mm256_sra_epi32(total, bits);
        __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
        uint8_t bytes[16];
        _mm_storeu_si128((__m128i *)bytes, _mm_packus_epi16(words, words));
        memcpy(y + 8 * b, bytes, (size_t)(m - 8 * b < 8 ? m - 8 * b : 8));
    }
}

/* The pairs of each half of a vector are among eight bytes. */
AVX2 static void row_along_256(const job *j, const uint8_t *x, uint8_t *y) {
    const along *a = &j->along;
    const int64_t depth = j->call->depth, n = j->call->w * depth, chunk = 2 * a->pairs * depth;
    const __m256i place = _mm256_loadu_si256((const __m256i *)a->place);
    const __m128i half = _mm_set1_epi32((int32_t)1 << j->across.bits >> 1), bits = _mm_cvtsi32_si128(j->across.bits);
    const int16_t *w = a->w;
    for (int64_t o = 0; o < j->across.out; o++) {
        int64_t at = j->across.first[o] * depth;
        __m256i total = _mm256_setzero_si256();
        for (int64_t k = 0; k < a->chunks; k++, w += 16, at += chunk) {
            __m128i u, v;
            if (at + chunk / 2 + 8 <= n) {
                u = _mm_loadl_epi64((const __m128i *)(x + at));
                v = _mm_loadl_epi64((const __m128i *)(x + at + chunk / 2));
            } else {
                uint8_t some[16] = {0};
                if (at < n) memcpy(some, x + at, (size_t)(n - at < chunk ? n - at : chunk));
                u = _mm_loadl_epi64((const __m128i *)some), v = _mm_loadl_epi64((const __m128i *)(some + chunk / 2));
            }
            __m256i both = _mm256_shuffle_epi8(_mm256_set_m128i(v, u), place);
            total = _mm256_add_epi32(total, _mm256_madd_epi16(both, _mm256_loadu_si256((const __m256i *)w)));
        }
        __m128i one = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
        if (a->wide < 4) one = _mm_add_epi32(one, _mm_shuffle_epi32(one, 0x4E));
        if (a->wide < 2) one = _mm_add_epi32(one, _mm_shuffle_epi32(one, 0xB1));
        one = _mm_sra_epi32(_mm_add_epi32(one, half), bits), one = _mm_packs_epi32(one, one);
        put_pixel((uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(one, one)), j, o, y);
    }
}

AVX2 static void row_down_256(const uint8_t *x, int64_t step, int64_t count, const int16_t *w, int shift, int64_t n,
                              uint8_t *y) {
    const __m256i half = _mm256_set1_epi32((int32_t)1 << shift >> 1), zero = _mm256_setzero_si256();
    const __m128i bits = _mm_cvtsi32_si128(shift);
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i a = half, b = half, c = half, d = half;
        for (int64_t k = 0; k < count; k += 2) {
            __m256i u = _mm256_loadu_si256((const __m256i *)(x + k * step + i));
            __m256i v = k + 1 < count ? _mm256_loadu_si256((const __m256i *)(x + (k + 1) * step + i)) : zero;
            int32_t pair = (uint16_t)w[k] | (int32_t)((uint32_t)(uint16_t)w[k + 1] << 16);
            __m256i ww = _mm256_set1_epi32(pair);
            ADD_TWO_ROWS(__m256i, _mm256)
        }
        __m256i p = _mm256_packs_epi32(_mm256_sra_epi32(a, bits), _mm256_sra_epi32(b, bits));
        __m256i q = _mm256_packs_epi32(_mm256_sra_epi32(c, bits), _mm256_sra_epi32(d, bits));
        _mm256_storeu_si256((__m256i *)(y + i), _mm256_packus_epi16(p, q));
    }
    if (i < n) row_down(x + i, step, count, w, shift, n - i, y + i);
}
#endif

static void release_lanes(lanes *l) { rl_free(l->base, l->bytes); }

/* Lay out places and weights for blocks of `group` x `groups` bytes of a row, if the pairs of each group are among
 * `reach` bytes; if they are farther apart, blocks stays 0. */
static int64_t make_lanes(job *j, int64_t group, int64_t groups, int64_t reach) {
    const table *t = &j->across;
    lanes *l = &j->lanes;
    int64_t depth = j->call->depth, m = t->out * depth, block = group * groups, blocks = (m + block - 1) / block;
    for (int64_t q = 0; q < m; q += group) {
        int64_t last = (q + group < m ? q + group : m) - 1, base = t->first[q / depth] * depth;
        if ((t->first[last / depth] + 1) * depth + depth - base > reach) return 0;
    }
    l->pairs = t->taps / 2;
    size_t bases = (size_t)(blocks * groups) * sizeof(int64_t), places = (size_t)(blocks * block * 4);
    l->bytes = bases + places + (size_t)(blocks * l->pairs * block * 2) * sizeof(int16_t);
    l->base = rl_alloc(l->bytes);
    if (!l->base) return RL_NO_MEMORY;
    memset(l->base, 0, l->bytes);
    l->place = (uint8_t *)l->base + bases, l->w = (int16_t *)(l->place + places);
    l->blocks = blocks;
    int64_t q = 0, g = 0, in_group = 0, b = 0, i = 0, base = 0; /* byte q: of group g, byte i of block b */
    for (int64_t o = 0; o < t->out; o++) {
        for (int64_t c = 0; c < depth; c++, q++) {
            if (in_group == 0) base = l->base[g] = t->first[o] * depth;
            int64_t at = t->first[o] * depth + c - base;
            uint8_t *place = l->place + q * 4;
            place[0] = (uint8_t)at, place[2] = (uint8_t)(at + depth);
            place[1] = place[3] = 0x80; /* a zero, where such a place is read */
            int16_t *w = l->w + (b * l->pairs * block + i) * 2;
            for (int64_t k = 0; k < l->pairs; k++)
                memcpy(w + k * block * 2, t->w + o * t->taps + 2 * k, 2 * sizeof(int16_t));
            if (++in_group == group) in_group = 0, g++;
            if (++i == block) i = 0, b++;
        }
    }
    return 0;
}

static void release_along(along *a) { rl_free(a->place, a->bytes); }

/* Lay out places and weights for vectors of 16 or 8 `numbers` of 32 bits; for more than four channels, chunks stays 0.
   */
static int64_t make_along(job *j, int64_t numbers) {
    const table *t = &j->across;
    along *a = &j->along;
    int64_t depth = j->call->depth, pairs = t->taps / 2;
    if (depth > 4) return 0;
    a->wide = depth > 2 ? 4 : depth, a->pairs = numbers / a->wide;
    int64_t chunks = (pairs + a->pairs - 1) / a->pairs;
    a->bytes = (size_t)(4 * numbers) + (size_t)(t->out * chunks * numbers * 2) * sizeof(int16_t);
    a->place = rl_alloc(a->bytes);
    if (!a->place) return RL_NO_MEMORY;
    memset(a->place, 0, a->bytes);
    a->w = (int16_t *)(a->place + 4 * numbers), a->chunks = chunks;
    for (int64_t i = 0; i < numbers; i++) {
        int64_t pair = i / a->wide, channel = i % a->wide;
        if (numbers == 8) pair %= a->pairs / 2; /* of its half of the vector */
        uint8_t *place = a->place + 4 * i;
        int64_t at = channel < depth ? 2 * pair * depth + channel : 0;
        place[0] = (uint8_t)at, place[2] = (uint8_t)(at + depth);
        place[1] = place[3] = 0x80; /* a zero, where such a place is read */
    }
    for (int64_t o = 0; o < t->out; o++)
        for (int64_t k = 0; k < pairs; k++) {
            int16_t *w = a->w + 2 * (o * chunks * numbers + k * a->wide);
            for (int64_t c = 0; c < depth; c++) memcpy(w + 2 * c, t->w + o * t->taps + 2 * k, 2 * sizeof(int16_t));
        }
    return 0;
}

/* `count` rows that lie `step` apart, into rows `to` apart. */
static void across(const job *j, const uint8_t *x, int64_t step, int64_t count, uint8_t *y, int64_t to) {
#if defined(__x86_64__)
    if (j->lanes.blocks && j->level == 2) {
        rows_across_512(j, x, step, count, y, to);
        return;
    }
    if (j->lanes.blocks) {
        int64_t depth = j->call->depth;
        for (int64_t r = 0; r < count; r++)
            row_across_256(j, x + r * step, j->call->w * depth, y + r * to, j->across.out * depth);
        return;
    }
#endif
    void (*row)(const job *, const uint8_t *, uint8_t *) = row_across;
#if defined(__x86_64__)
    if (j->along.chunks && j->level == 2) {
        rows_along_512(j, x, step, count, y, to);
        return;
    }
    if (j->along.chunks) row = row_along_256;
#endif
    for (int64_t r = 0; r < count; r++) row(j, x + r * step, y + r * to);
}

static void down(const job *j, const uint8_t *x, int64_t step, int64_t o, int64_t n, uint8_t *y) {
    const table *t = &j->down;
    const int16_t *w = t->w + o * t->taps;
#if defined(__x86_64__)
    if (j->level == 2) {
        row_down_512(x, step, t->count[o], w, t->bits, n, y);
        return;
    }
    if (j->level == 1) {
        row_down_256(x, step, t->count[o], w, t->bits, n, y);
        return;
    }
#endif
    row_down(x, step, t->count[o], w, t->bits, n, y);
}

/* A row of pixels as one row of each plane. */
ALWAYS_INLINE void split(const uint8_t *x, int64_t n, int64_t depth, uint8_t *y, int64_t step) {
    for (int64_t c = 0; c < depth; c++)
        for (int64_t i = 0; i < n; i++) y[c * step + i] = x[i * depth + c];
}

#if defined(__x86_64__)
AVX2 static void split_three(const uint8_t *x, int64_t n, uint8_t *y, int64_t step) {
    uint8_t *a = y, *b = y + step, *c = y + 2 * step;
    int64_t i = 0;
    /* The places of the bytes of a number among three loads of 16; 0x80 is none. */
#define TAKE(k, first)                                                                                                 \
    _mm_setr_epi8(AT(k, 0, first), AT(k, 1, first), AT(k, 2, first), AT(k, 3, first), AT(k, 4, first),                 \
                  AT(k, 5, first), AT(k, 6, first), AT(k, 7, first), AT(k, 8, first), AT(k, 9, first),                 \
                  AT(k, 10, first), AT(k, 11, first), AT(k, 12, first), AT(k, 13, first), AT(k, 14, first),            \
                  AT(k, 15, first))
#define AT(k, i, first)                                                                                                \
    ((char)(3 * (i) + (k) >= (first) && 3 * (i) + (k) < (first) + 16 ? 3 * (i) + (k) - (first) : -128))
#define GATHER(k)                                                                                                      \
    _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(p, TAKE(k, 0)), _mm_shuffle_epi8(q, TAKE(k, 16))),                      \
                 _mm_shuffle_epi8(r, TAKE(k, 32)))
    for (; i + 16 <= n; i += 16) {
        __m128i p = _mm_loadu_si128((const __m128i *)(x + 3 * i));
        __m128i q = _mm_loadu_si128((const __m128i *)(x + 3 * i + 16));
        __m128i r = _mm_loadu_si128((const __m128i *)(x + 3 * i + 32));
        _mm_storeu_si128((__m128i *)(a + i), GATHER(0));
        _mm_storeu_si128((__m128i *)(b + i), GATHER(1));
        _mm_storeu_si128((__m128i *)(c + i), GATHER(2));
    }
#undef GATHER
#undef AT
#undef TAKE
    split(x + 3 * i, n - i, 3, y + i, step);
}
#endif

/* Row o of the result, or the memory `row` in which it is made until it is split. */
static uint8_t *made_at(const rl_resample *c, uint8_t *y, uint8_t *row, int64_t o) {
    return c->y_depth ? row : y + o * c->y_h;
}

static void put(const job *j, const uint8_t *row, uint8_t *y, int64_t o) {
    const rl_resample *c = j->call;
    if (!c->y_depth) return;
#if defined(__x86_64__)
    if (c->depth == 3 && j->level) {
        split_three(row, c->ow, y + o * c->y_h, c->y_depth);
        return;
    }
#endif
    split(row, c->ow, c->depth, y + o * c->y_h, c->y_depth);
}

/* Some rows of one plane of the result. */
static int64_t strip(const job *j, const uint8_t *x, uint8_t *y, int64_t begin, int64_t end) {
    const rl_resample *c = j->call;
    int64_t n = c->ow * c->depth, from = begin, to = begin;
    if (j->down.out && j->across.out) {
        from = to = j->down.first[begin];
        for (int64_t o = begin; o < end; o++)
            if (j->down.first[o] + j->down.count[o] > to) to = j->down.first[o] + j->down.count[o];
    }
    size_t bytes = (size_t)(to - from + (c->y_depth != 0)) * (size_t)n; /* rows of the source, and one to be split */
    uint8_t *rows = bytes ? rl_alloc(bytes) : NULL, *row = bytes ? rows + (to - from) * n : NULL;
    if (bytes && !rows) return RL_NO_MEMORY;
    if (to > from) across(j, x + from * c->x_h, c->x_h, to - from, rows, n);
    for (int64_t o = begin; o < end; o++) {
        uint8_t *made = made_at(c, y, row, o);
        if (to > from)
            down(j, rows + (j->down.first[o] - from) * n, n, o, n, made);
        else if (j->down.out)
            down(j, x + j->down.first[o] * c->x_h, c->x_h, o, n, made);
        else if (j->across.out)
            across(j, x + o * c->x_h, 0, 1, made, 0);
        else
            memcpy(made, x + o * c->x_h, (size_t)n);
        put(j, made, y, o);
    }
    rl_free(rows, bytes);
    return 0;
}

static int64_t strips(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_resample *c = j->call;
    for (int64_t i = begin; i < end; i++) {
        int64_t plane = i / j->strips, row = i % j->strips * j->rows;
        int64_t last = row + j->rows < c->oh ? row + j->rows : c->oh;
        const uint8_t *x = c->x + plane / c->c * c->x_n + plane % c->c * c->x_c;
        uint8_t *y = c->y + plane / c->c * c->y_n + plane % c->c * c->y_c;
        if (strip(j, x, y, row, last) != 0) return RL_NO_MEMORY;
    }
    return 0;
}

int64_t rl_resample_bytes(const rl_resample *call) {
    enum { STRIP = 131072 }; /* the rows of a strip should stay in the second-level cache */
    static const double TAP_NS[] = {0.6, 0.15, 0.06}; /* the time of a byte, by level */
    job j = {.call = call, .level = rl_byte_level()};
    int64_t rc = 0, width = call->ow * call->depth;
    if (call->n * call->c * call->oh * width == 0) return 0;
    if (call->ow != call->w) rc = make_table(&j.across, call->w, call->ow, call->step_w, call);
    if (rc == 0 && call->oh != call->h) rc = make_table(&j.down, call->h, call->oh, call->step_h, call);
    if (rc == 0 && j.across.out && j.level) rc = j.level == 2 ? make_lanes(&j, 16, 1, 64) : make_lanes(&j, 4, 2, 16);
    if (rc == 0 && j.across.out && j.level && !j.lanes.blocks) rc = make_along(&j, j.level == 2 ? 16 : 8);
    if (rc == 0) {
        double a_row = (double)width * (call->oh < call->h ? (double)call->h / (double)call->oh : 1.0);
        j.rows = (int64_t)(STRIP / a_row);
        j.rows = j.rows < 8 ? 8 : j.rows > call->oh ? call->oh : j.rows;
        j.strips = (call->oh + j.rows - 1) / j.rows;
        j.rows = (call->oh + j.strips - 1) / j.strips; /* all have one size */
        j.strips = (call->oh + j.rows - 1) / j.rows;
        double taps = a_row * (double)j.across.taps + (double)width * (double)j.down.taps; /* of a row of the result */
        rc = rl_work(strips, &j, call->n * call->c * j.strips, TAP_NS[j.level] * (double)j.rows * taps);
    }
    if (j.along.chunks) release_along(&j.along);
    if (j.lanes.base) release_lanes(&j.lanes);
    if (j.across.first) release_table(&j.across);
    if (j.down.first) release_table(&j.down);
    return rc;
}
