#include "colours.h"

#include "processor.h"
#include "targets.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Each number times 8 and times 2^13, of which the upper half of 32 bits is kept. */
static int scaled(int x, int by) { return x * by >> 16; }

static uint8_t byte(int x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

static void plain(const rl_colours *c, const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *rgb, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int bright = scaled(8 * y[i] - c->black, c->y_all), blue = 8 * (u[i / 2] - 128), red = 8 * (v[i / 2] - 128);
        rgb[3 * i] = byte(bright + scaled(red, c->v_red));
        rgb[3 * i + 1] = byte(bright + scaled(blue, c->u_green) + scaled(red, c->v_green));
        rgb[3 * i + 2] = byte(bright + scaled(blue, c->u_blue));
    }
}

#if defined(__x86_64__)

/* Pixels are processed as words of two bytes, those at even positions and those at odd ones, and one difference is for
 * one of each. Packed, eight of each alternate in sixteen bytes: this is the position of pixel p among them. */
static uint8_t packed_at(int p) { return (uint8_t)((p & ~15) | (p & 1) << 3 | (p & 15) >> 1); }

/* What the differences add to the colours of `words` of pixels. */
#define DIFFERENCES(V, P, SET, u, v)                                                                                   \
    const V blue = P##_slli_epi16(P##_sub_epi16(u, SET(128)), 3), red = P##_slli_epi16(P##_sub_epi16(v, SET(128)), 3); \
    const V to_red = P##_mulhi_epi16(red, SET(c->v_red)), to_blue = P##_mulhi_epi16(blue, SET(c->u_blue));             \
    const V to_green = P##_add_epi16(P##_mulhi_epi16(blue, SET(c->u_green)), P##_mulhi_epi16(red, SET(c->v_green)));

/* Bytes r, g and b of a vector of pixels. */
#define COLOURS(V, P, SET, pixels)                                                                                     \
    const V even = P##_mulhi_epi16(P##_sub_epi16(P##_srli_epi16(P##_slli_epi16(pixels, 8), 5), SET(c->black)),         \
                                   SET(c->y_all));                                                                     \
    const V odd = P##_mulhi_epi16(P##_sub_epi16(P##_slli_epi16(P##_srli_epi16(pixels, 8), 3), SET(c->black)),          \
                                  SET(c->y_all));                                                                      \
    const V r = P##_packus_epi16(P##_add_epi16(even, to_red), P##_add_epi16(odd, to_red));                             \
    const V g = P##_packus_epi16(P##_add_epi16(even, to_green), P##_add_epi16(odd, to_green));                         \
    const V b = P##_packus_epi16(P##_add_epi16(even, to_blue), P##_add_epi16(odd, to_blue));

static __mmask64 below(int64_t n) { return n >= 64 ? ~0ULL : n > 0 ? (1ULL << n) - 1 : 0; }

/* Two rows and 64 pixels at a time. A picture that is larger than the cache is written `past` it: then its lines are
 * not read first, and the decoder's data stay in the cache. */
BYTES static void rows_512(const rl_colours *c) {
    enum { CACHED = 2 << 20 };
    const int past = c->height * c->rgb_row > CACHED && (((uintptr_t)c->rgb | (uintptr_t)c->rgb_row) & 63) == 0;
    __m512i place[3];
    __mmask64 is_blue[3];
    for (int k = 0; k < 3; k++) {
        uint8_t at[64];
        is_blue[k] = 0;
        for (int i = 0; i < 64; i++) {
            int from = 64 * k + i;
            at[i] = (uint8_t)(packed_at(from / 3) | (from % 3 == 1) << 6);
            is_blue[k] |= (uint64_t)(from % 3 == 2) << i;
        }
        place[k] = _mm512_loadu_si512(at);
    }
    for (int64_t pair = 0; pair < c->height / 2; pair++) {
        const uint8_t *y = c->y + 2 * pair * c->y_row, *u = c->u + pair * c->u_row, *v = c->v + pair * c->v_row;
        uint8_t *rgb = c->rgb + 2 * pair * c->rgb_row;
        for (int64_t i = 0; i < c->width; i += 64) {
            const int64_t left = c->width - i;
            const __mmask32 half = (__mmask32)below((left + 1) / 2);
            const __m512i us = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(half, u + i / 2));
            const __m512i vs = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(half, v + i / 2));
            DIFFERENCES(__m512i, _mm512, _mm512_set1_epi16, us, vs)
            for (int row = 0; row < 2; row++) {
                const __m512i pixels = _mm512_maskz_loadu_epi8(below(left), y + row * c->y_row + i);
                COLOURS(__m512i, _mm512, _mm512_set1_epi16, pixels)
                uint8_t *to = rgb + row * c->rgb_row + 3 * i;
                for (int k = 0; k < 3; k++) {
                    __m512i bytes = _mm512_permutex2var_epi8(r, place[k], g);
                    bytes = _mm512_mask_permutexvar_epi8(bytes, is_blue[k], place[k], b);
                    if (past && left >= 64)
                        _mm512_stream_si512((void *)(to + 64 * k), bytes);
                    else if (left >= 64)
                        _mm512_storeu_si512(to + 64 * k, bytes);
                    else
                        _mm512_mask_storeu_epi8(to + 64 * k, below(3 * left - 64 * k), bytes);
                }
            }
        }
    }
    if (past) _mm_sfence();
}

/* Two rows and 32 pixels at a time, each half of a vector sixteen of them. */
AVX2 static void rows_256(const rl_colours *c) {
    __m256i place[3][3]; /* of each colour in each third of 48 bytes; 0x80 makes a zero */
    for (int k = 0; k < 3; k++)
        for (int colour = 0; colour < 3; colour++) {
            uint8_t at[16];
            for (int i = 0; i < 16; i++) {
                int from = 16 * k + i;
                at[i] = from % 3 == colour ? packed_at(from / 3) : 0x80;
            }
            place[k][colour] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)at));
        }
    for (int64_t pair = 0; pair < c->height / 2; pair++) {
        const uint8_t *y = c->y + 2 * pair * c->y_row, *u = c->u + pair * c->u_row, *v = c->v + pair * c->v_row;
        uint8_t *rgb = c->rgb + 2 * pair * c->rgb_row;
        int64_t i = 0;
        for (; i + 32 <= c->width; i += 32) {
            const __m256i us = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(u + i / 2)));
            const __m256i vs = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(v + i / 2)));
            DIFFERENCES(__m256i, _mm256, _mm256_set1_epi16, us, vs)
            for (int row = 0; row < 2; row++) {
                const __m256i pixels = _mm256_loadu_si256((const __m256i *)(y + row * c->y_row + i));
                COLOURS(__m256i, _mm256, _mm256_set1_epi16, pixels)
                __m256i third[3];
                for (int k = 0; k < 3; k++)
                    third[k] = _mm256_or_si256(_mm256_shuffle_epi8(r, place[k][0]),
                                               _mm256_or_si256(_mm256_shuffle_epi8(g, place[k][1]),
                                                               _mm256_shuffle_epi8(b, place[k][2])));
                __m256i *to = (__m256i *)(rgb + row * c->rgb_row + 3 * i);
                _mm256_storeu_si256(to, _mm256_permute2x128_si256(third[0], third[1], 0x20));
                _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(third[2], third[0], 0x30));
                _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(third[1], third[2], 0x31));
            }
        }
        for (int row = 0; row < 2; row++)
            plain(c, y + row * c->y_row + i, u + i / 2, v + i / 2, rgb + row * c->rgb_row + 3 * i, c->width - i);
    }
}
#endif

void rl_rgb_of_colours(const rl_colours *c) {
#if defined(__x86_64__)
    int level = rl_byte_level();
    if (level == 2) {
        rows_512(c);
        return;
    }
    if (level == 1) {
        rows_256(c);
        return;
    }
#endif
    for (int64_t row = 0; row < c->height; row++)
        plain(c, c->y + row * c->y_row, c->u + row / 2 * c->u_row, c->v + row / 2 * c->v_row, c->rgb + row * c->rgb_row,
              c->width);
}
