#include "turn.h"

#include "integers.h"
#include "pool.h"
#include "processor.h"
#include "targets.h"

enum { CHUNK = 64 }; /* how many rows a thread transposes at a time */

#if defined(__x86_64__)
#include <immintrin.h>

/* The transpose of a square as wide as a vector of AVX2. */
AVX2 static inline void turn_square_f32(const float *from, int64_t ldf, float *to, int64_t ldt) {
    __m256 x[8], y[8];
    for (int i = 0; i < 8; i++) x[i] = _mm256_loadu_ps(from + i * ldf);
    for (int i = 0; i < 8; i += 2)
        y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]), y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    for (int i = 0; i < 8; i += 4) {
        x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44), x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xee);
        x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44), x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_ps(to + i * ldt, _mm256_permute2f128_ps(x[i], x[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * ldt, _mm256_permute2f128_ps(x[i], x[i + 4], 0x31));
    }
}

AVX2 static inline void turn_square_f64(const double *from, int64_t ldf, double *to, int64_t ldt) {
    __m256d x[4], y[4];
    for (int i = 0; i < 4; i++) x[i] = _mm256_loadu_pd(from + i * ldf);
    for (int i = 0; i < 4; i += 2)
        y[i] = _mm256_unpacklo_pd(x[i], x[i + 1]), y[i + 1] = _mm256_unpackhi_pd(x[i], x[i + 1]);
    for (int i = 0; i < 2; i++) {
        _mm256_storeu_pd(to + i * ldt, _mm256_permute2f128_pd(y[i], y[i + 2], 0x20));
        _mm256_storeu_pd(to + (i + 2) * ldt, _mm256_permute2f128_pd(y[i], y[i + 2], 0x31));
    }
}
#endif

#define T float
#define NAME(x) x##_f32
#include "turn_typed.h"

#define T double
#define NAME(x) x##_f64
#include "turn_typed.h"
