#include "jpeg_pixels.h"

#include <string.h>

#include "processor.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#else /* its loops too */
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,prefer-vector-width=512")))
#endif
#define AVX2 __attribute__((target("avx2")))
#endif
#define ALWAYS static inline __attribute__((always_inline))

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

enum { LIMIT = 8192 }; /* of numbers, so that others do not compute them otherwise in 16 bits, nor sums wrap */

/* The inverse cosine transform of eight numbers: what numbers 0, 2, 4, 6 add to the results 0 to 3 and, from the other
 * end, to 7 to 4; what numbers 1, 3, 5, 7 add to the former and take from the latter. */
#define TRANSFORM(x, even, odd)                                                                                        \
    {                                                                                                                  \
        const V sum = ((x)[0] + (x)[4]) * 8192, difference = ((x)[0] - (x)[4]) * 8192;                                 \
        const V both = ((x)[2] + (x)[6]) * 4433, large = both + (x)[2] * 6270, small = both - (x)[6] * 15137;          \
        (even)[0] = sum + large, (even)[3] = sum - large;                                                              \
        (even)[1] = difference + small, (even)[2] = difference - small;                                                \
        const V all = ((x)[1] + (x)[3] + (x)[5] + (x)[7]) * 9633;                                                      \
        const V outer = ((x)[1] + (x)[7]) * -7373, inner = ((x)[3] + (x)[5]) * -20995;                                 \
        const V first = all + ((x)[1] + (x)[5]) * -3196, last = all + ((x)[3] + (x)[7]) * -16069;                      \
        (odd)[0] = (x)[1] * 12299 + outer + first, (odd)[1] = (x)[3] * 25172 + inner + last;                           \
        (odd)[2] = (x)[5] * 16819 + inner + first, (odd)[3] = (x)[7] * 2446 + outer + last;                            \
    }

#if defined(__x86_64__)
typedef int32_t v16 __attribute__((vector_size(64)));
typedef int32_t v8 __attribute__((vector_size(32)));

/* Bytes in the order of pixels: eight of each block. */
#define PACKED(y, k) ((y)[k] | (y)[(k) + 1] << 8 | (y)[(k) + 2] << 16 | (y)[(k) + 3] << 24)

WIDE static inline void put_16(const v16 *y, uint8_t *to) {
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i left = (__m512i)PACKED(y, 0), right = (__m512i)PACKED(y, 4);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(left, low, right));
    _mm512_storeu_si512(to + 64, _mm512_permutex2var_epi32(left, _mm512_add_epi32(low, _mm512_set1_epi32(8)), right));
}

AVX2 static inline void put_8(const v8 *y, uint8_t *to) {
    const __m256i left = (__m256i)PACKED(y, 0), right = (__m256i)PACKED(y, 4);
    const __m256i a = _mm256_unpacklo_epi32(left, right), b = _mm256_unpackhi_epi32(left, right);
    _mm256_storeu_si256((__m256i *)to, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((__m256i *)(to + 32), _mm256_permute2x128_si256(a, b, 0x31));
}

#define NAME blocks_16
#define TARGET WIDE
#define V v16
#define V_LOAD(p) ((v16)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(p))))
#define V_LARGEST(x, y) ((v16)_mm512_max_epi32((__m512i)(x), _mm512_set1_epi32(y)))
#define V_SMALLEST(x, y) ((v16)_mm512_min_epi32((__m512i)(x), _mm512_set1_epi32(y)))
#define V_FAR(x) (_mm512_test_epi32_mask((__m512i)(x), _mm512_set1_epi32(~(2 * LIMIT - 1))) != 0)
#define V_PUT put_16
#include "jpeg_typed.h"

#define NAME blocks_8
#define TARGET AVX2
#define V v8
#define V_LOAD(p) ((v8)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(p))))
#define V_LARGEST(x, y) ((v8)_mm256_max_epi32((__m256i)(x), _mm256_set1_epi32(y)))
#define V_SMALLEST(x, y) ((v8)_mm256_min_epi32((__m256i)(x), _mm256_set1_epi32(y)))
#define V_FAR(x) (!_mm256_testz_si256((__m256i)(x), _mm256_set1_epi32(~(2 * LIMIT - 1))))
#define V_PUT put_8
#include "jpeg_typed.h"
#endif

/* Vectors that a compiler makes of what the processor has. */
typedef int32_t v4 __attribute__((vector_size(16)));
typedef int16_t four __attribute__((vector_size(8)));

ALWAYS v4 load_4(const int16_t *p) {
    four x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, v4);
}

ALWAYS v4 chosen(v4 which, v4 x, v4 y) { return (x & which) | (y & ~which); }

static inline void put_4(const v4 *y, uint8_t *to) {
    for (int l = 0; l < 4; l++)
        for (int k = 0; k < 8; k++) to[8 * l + k] = (uint8_t)y[k][l];
}

#define NAME blocks_4
#define TARGET
#define V v4
#define V_LOAD load_4
#define V_LARGEST(x, y) chosen((x) > (y), x, (x) * 0 + (y))
#define V_SMALLEST(x, y) chosen((x) < (y), x, (x) * 0 + (y))
#define V_FAR(x) ((((x)[0] | (x)[1] | (x)[2] | (x)[3]) & ~(2 * LIMIT - 1)) != 0)
#define V_PUT put_4
#include "jpeg_typed.h"

int rl_jpeg_blocks(const int16_t *coefficients, const uint16_t *quantum, uint8_t *pixels, int64_t row) {
    int (*some)(const int16_t *, const uint16_t *, uint8_t *, int64_t) = blocks_4;
    int width = 4;
#if defined(__x86_64__)
    int level = rl_byte_level();
    if (level == 2) some = blocks_16, width = 16;
    if (level == 1) some = blocks_8, width = 8;
#endif
    for (int l = 0; l < RL_JPEG_LANES; l += width)
        if (some(coefficients + l, quantum, pixels + 8 * l, row)) return 1;
    return 0;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* Numbers of a difference for each of two pixels: three quarters of the nearest, a quarter of the next, across and
 * down; `s` has one more number at each end. */
ALWAYS void spread(const int16_t *restrict s, int64_t n, int bits, int16_t even, int16_t odd, int16_t *restrict to) {
    for (int64_t i = 0; i < n; i++) {
        to[2 * i] = (int16_t)((int16_t)(3 * s[i] + s[i - 1] + even) >> bits);
        to[2 * i + 1] = (int16_t)((int16_t)(3 * s[i] + s[i + 1] + odd) >> bits);
    }
}

/* A difference, less 128, for each pixel of a row. */
ALWAYS void differences(const rl_jpeg_rows *r, const uint8_t *a, const uint8_t *b, int16_t *restrict s,
                        int16_t *restrict to) {
    const int64_t n = r->count;
    if (r->across == 1) {
        for (int64_t i = 0; i < n; i++) to[i] = (int16_t)(a[i] - 128);
        return;
    }
    s += 32;
    if (r->down == 2) {
        for (int64_t i = 0; i < n; i++) s[i] = (int16_t)(3 * a[i] + b[i] - 512);
    } else {
        for (int64_t i = 0; i < n; i++) s[i] = (int16_t)(a[i] - 128);
    }
    s[-1] = s[0], s[n] = s[n - 1];
    if (r->down == 2)
        spread(s, n, 4, 8, 7, to);
    else
        spread(s, n, 2, 1, 2, to);
}

static uint8_t byte(int x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

/* Weights have 16 bits after the point. */
enum { TO_RED = 91881, TO_BLUE = 116130, BLUE_TO_GREEN = -22554, RED_TO_GREEN = -46802, HALF = 32768 };

static void plain(const uint8_t *y, const int16_t *blue, const int16_t *red, int64_t n, uint8_t *rgb) {
    for (int64_t i = 0; i < n; i++) {
        rgb[3 * i] = byte(y[i] + ((TO_RED * red[i] + HALF) >> 16));
        rgb[3 * i + 1] = byte(y[i] + ((BLUE_TO_GREEN * blue[i] + RED_TO_GREEN * red[i] + HALF) >> 16));
        rgb[3 * i + 2] = byte(y[i] + ((TO_BLUE * blue[i] + HALF) >> 16));
    }
}

#if defined(__x86_64__)
/* Colours r, g, b of a vector of words, from brightness y and differences u and v. The weights are too large for 16
 * bits by one or two: so much is added as it is. Of a product with twice a number the upper half is kept, which is once
 * more halved and rounded: so it is the product rounded. */
#define COLOURS(V, P, L, y, u, v)                                                                                      \
    const V one = P##_set1_epi16(1), u2 = P##_add_epi16(u, u), v2 = P##_add_epi16(v, v);                               \
    const V red = P##_mulhi_epi16(v2, P##_set1_epi16(TO_RED - 65536));                                                 \
    const V blue = P##_mulhi_epi16(u2, P##_set1_epi16(TO_BLUE - 131072));                                              \
    const V pair = P##_set1_epi32((int)((uint32_t)(uint16_t)BLUE_TO_GREEN | (uint32_t)(RED_TO_GREEN + 65536) << 16));  \
    const V half = P##_set1_epi32(HALF);                                                                               \
    const V low = P##_add_epi32(P##_madd_epi16(P##_unpacklo_epi16(u, v), pair), half);                                 \
    const V high = P##_add_epi32(P##_madd_epi16(P##_unpackhi_epi16(u, v), pair), half);                                \
    const V green = P##_packs_epi32(P##_srai_epi32(low, 16), P##_srai_epi32(high, 16));                                \
    const V r##L = P##_add_epi16(P##_add_epi16(y, v), P##_srai_epi16(P##_add_epi16(red, one), 1));                     \
    const V g##L = P##_add_epi16(P##_sub_epi16(y, v), green);                                                          \
    const V b##L = P##_add_epi16(P##_add_epi16(y, u2), P##_srai_epi16(P##_add_epi16(blue, one), 1));

/* 64 pixels at a time. */
WIDE static void row_512(const rl_jpeg_rows *row, const uint8_t *brightness, const int16_t *blues, const int16_t *reds,
                         uint8_t *rgb) {
    static const __mmask64 is_blue[3] = {0x4924924924924924ULL, 0x2492492492492492ULL, 0x9249249249249249ULL};
    __m512i place[3];
    for (int k = 0; k < 3; k++) place[k] = _mm512_loadu_si512(row->place + 64 * k);
    for (int64_t i = 0; i < row->width; i += 64) {
        const int64_t left = row->width - i;
        const __mmask64 there = left >= 64 ? ~0ULL : (1ULL << left) - 1;
        const __m512i bright = _mm512_maskz_loadu_epi8(there, brightness + i);
        __m512i r, g, b;
        {
            const __m512i y = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bright));
            const __m512i u = _mm512_loadu_si512(blues + i), v = _mm512_loadu_si512(reds + i);
            COLOURS(__m512i, _mm512, 0, y, u, v)
            r = r0, g = g0, b = b0;
        }
        {
            const __m512i y = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bright, 1));
            const __m512i u = _mm512_loadu_si512(blues + i + 32), v = _mm512_loadu_si512(reds + i + 32);
            COLOURS(__m512i, _mm512, 1, y, u, v)
            r = _mm512_packus_epi16(r, r1), g = _mm512_packus_epi16(g, g1), b = _mm512_packus_epi16(b, b1);
        }
        for (int k = 0; k < 3; k++) {
            __m512i bytes = _mm512_permutex2var_epi8(r, place[k], g);
            bytes = _mm512_mask_permutexvar_epi8(bytes, is_blue[k], place[k], b);
            const int64_t more = 3 * left - 64 * k;
            if (more >= 64)
                _mm512_storeu_si512(rgb + 3 * i + 64 * k, bytes);
            else if (more > 0)
                _mm512_mask_storeu_epi8(rgb + 3 * i + 64 * k, (1ULL << more) - 1, bytes);
        }
    }
}

/* 16 pixels at a time, twice in each vector of bytes. */
AVX2 static void row_256(const rl_jpeg_rows *row, const uint8_t *brightness, const int16_t *blues, const int16_t *reds,
                         uint8_t *rgb) {
    __m256i place[3][3]; /* of each colour in each third of 48 bytes */
    for (int k = 0; k < 9; k++)
        place[k / 3][k % 3] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(row->place + 16 * k)));
    int64_t i = 0;
    for (; i + 16 <= row->width; i += 16) {
        const __m256i y = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(brightness + i)));
        const __m256i u = _mm256_loadu_si256((const __m256i *)(blues + i));
        const __m256i v = _mm256_loadu_si256((const __m256i *)(reds + i));
        COLOURS(__m256i, _mm256, 0, y, u, v)
        const __m256i r = _mm256_permute4x64_epi64(_mm256_packus_epi16(r0, r0), 0x88);
        const __m256i g = _mm256_permute4x64_epi64(_mm256_packus_epi16(g0, g0), 0x88);
        const __m256i b = _mm256_permute4x64_epi64(_mm256_packus_epi16(b0, b0), 0x88);
        for (int k = 0; k < 3; k++) {
            const __m256i rest =
                _mm256_or_si256(_mm256_shuffle_epi8(g, place[k][1]), _mm256_shuffle_epi8(b, place[k][2]));
            const __m256i third = _mm256_or_si256(_mm256_shuffle_epi8(r, place[k][0]), rest);
            _mm_storeu_si128((__m128i *)(rgb + 3 * i + 16 * k), _mm256_castsi256_si128(third));
        }
    }
    plain(brightness + i, blues + i, reds + i, row->width - i, rgb + 3 * i);
}

typedef struct {
    const uint8_t *near, *far;
} lines;

WIDE static void colours_512(const rl_jpeg_rows *r, const uint8_t *brightness, lines blue, lines red, uint8_t *rgb) {
    int16_t *blues = r->work, *reds = blues + r->width + 64, *s = reds + r->width + 64;
    differences(r, blue.near, blue.far, s, blues);
    differences(r, red.near, red.far, s, reds);
    row_512(r, brightness, blues, reds, rgb);
}

AVX2 static void colours_256(const rl_jpeg_rows *r, const uint8_t *brightness, lines blue, lines red, uint8_t *rgb) {
    int16_t *blues = r->work, *reds = blues + r->width + 64, *s = reds + r->width + 64;
    differences(r, blue.near, blue.far, s, blues);
    differences(r, red.near, red.far, s, reds);
    row_256(r, brightness, blues, reds, rgb);
}
#endif

void rl_jpeg_prepare(rl_jpeg_rows *rows) {
    memset(rows->place, 0, sizeof rows->place);
#if defined(__x86_64__)
    if (rl_byte_level() == 2) {
        /* Packed, eight pixels of the first half and eight of the second take turns. */
        for (int i = 0; i < 192; i++) {
            const int p = i / 3, at = (p & 31) / 8 * 16 + (p & 7) + (p & 32) / 4;
            rows->place[i] = (uint8_t)(at | (i % 3 == 1) << 6);
        }
    } else {
        for (int k = 0; k < 3; k++) /* of each colour in each third of 48 bytes; 0x80 makes a zero */
            for (int i = 0; i < 48; i++)
                rows->place[48 * k + i] = (uint8_t)((16 * k + i % 16) % 3 == i / 16 ? (16 * k + i % 16) / 3 : 0x80);
    }
#endif
}

void rl_jpeg_colours(const rl_jpeg_rows *r, const uint8_t *brightness, const uint8_t *blue_near,
                     const uint8_t *blue_far, const uint8_t *red_near, const uint8_t *red_far, uint8_t *rgb) {
#if defined(__x86_64__)
    int level = rl_byte_level();
    if (level) {
        const lines blue = {blue_near, blue_far}, red = {red_near, red_far};
        (level == 2 ? colours_512 : colours_256)(r, brightness, blue, red, rgb);
        return;
    }
#endif
    int16_t *blues = r->work, *reds = blues + r->width + 64, *s = reds + r->width + 64;
    differences(r, blue_near, blue_far, s, blues);
    differences(r, red_near, red_far, s, reds);
    plain(brightness, blues, reds, r->width, rgb);
}
