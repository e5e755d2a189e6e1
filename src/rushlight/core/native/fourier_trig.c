/* Cosine and sine transforms of one axis, by real and complex Fourier transforms.
 *
 * Sources: Makhoul, "A fast cosine transform in one and two dimensions", 1980 (types 2 and 3); Martucci, "Symmetric
 * convolution and the discrete sine and cosine transforms", 1994 (type 1 as a longer line's, sines by cosines). */
#include "fourier_parts.h"

/* The product of two numbers that are 1 modulo 8 is 1 modulo 8, too, so that for odd n, with b such a number and
 * u n + 8 v = 1,
 *     cos(2 pi a b / 8n) = cos(2 pi (u / 8 + v a b / n)):
 * the transform of type 4 is one of n real numbers, in another order and with other signs, and u / 8 an eighth of a
 * turn. Of 8n places those at b, -b, 4n - b and 4n + b are one number (b = 2k + 1) but for the sign: one of the four
 * is congruent to 1. */
typedef struct {
    int64_t k;
    int minus;
} entry;

static inline entry entry_of(int64_t b, int64_t n) {
    b = b > 4 * n ? 8 * n - b : b;
    return b > 2 * n ? (entry){(4 * n - b) / 2, 1} : (entry){b / 2, 0};
}

/* x, y: n numbers of each line, x_step and y_step apart, lines side by side; v, w: the input and result of the Fourier
 * transform, L lines side by side. c, s: the plan's twiddles, two tables of them for type 4, which include the scale
 * and the weights of the ends, so that every number is rounded only once for all of them. Type 1 has none: ortho
 * weights its ends, in the type W of more digits, and scale its results. Loops over lines are innermost, and vanish if
 * there is one line. */
#define X(k) x[(k) * x_step + l]
#define Y(k) y[(k) * y_step + l]
#define R(v, k) v[(k) * L + l]
#define RE(v, k) v[2 * ((k) * L + l)]
#define IM(v, k) v[2 * ((k) * L + l) + 1]
#define EACH(k, from, to)                                                                                             \
    for (int64_t k = (from); k < (to); k++)                                                                           \
        for (int64_t l = 0; l < L; l++)
#define TRIG(T, S, W, FMA)                                                                                            \
    static inline __attribute__((always_inline)) void before_##S(                                                     \
        int type, int sine, int ortho, int64_t n, int64_t L, const T *restrict x, int64_t x_step,                     \
        const T *restrict c, const T *restrict s, T *restrict v) {                                                    \
        int64_t h = n / 2;                                                                                            \
        if (type == 2) { /* numbers at even indices, then at odd ones, backwards */                                   \
            EACH(j, 0, n - h) R(v, j) = X(2 * j);                                                                     \
            if (sine)                                                                                                 \
                EACH(j, 0, h) R(v, n - 1 - j) = -X(2 * j + 1);                                                        \
            else                                                                                                      \
                EACH(j, 0, h) R(v, n - 1 - j) = X(2 * j + 1);                                                         \
        } else if (type == 3) { /* (x[k] - i x[n - k]) (c + i s), conjugated; sines: of the reversed line */          \
            EACH(k, 1, h + 1) {                                                                                       \
                T a = X(sine ? n - 1 - k : k), b = X(sine ? k - 1 : n - k);                                           \
                RE(v, k) = FMA(c[k], a, -(s[k] * b)), IM(v, k) = FMA(-s[k], a, -(c[k] * b));                          \
            }                                                                                                         \
            EACH(k, 0, 1) RE(v, 0) = X(sine ? n - 1 : 0) * c[0], IM(v, 0) = 0;                                        \
        } else if (type == 1 && sine) {                                                                               \
            EACH(k, 0, 1) R(v, 0) = R(v, n + 1) = 0;                                                                  \
            EACH(j, 0, n) R(v, j + 1) = X(j);                                                                         \
            EACH(j, 0, n) R(v, 2 * n + 1 - j) = -X(j);                                                                \
        } else if (type == 1) {                                                                                       \
            W up = ortho ? SQRT2 : 1;                                                                                 \
            EACH(j, 1, n - 1) R(v, j) = X(j);                                                                         \
            EACH(j, 1, n - 1) R(v, 2 * n - 2 - j) = X(j);                                                             \
            EACH(j, 0, 1) R(v, 0) = (T)(X(0) * up), R(v, n - 1) = (T)(X(n - 1) * up);                                 \
        } else if (n % 2) {                                                                                           \
            int64_t b = n * (n % 8), one = 1 + (8 - n % 8) * n; /* 1 modulo n, 0 modulo 8 */                          \
            for (int64_t p = 0; p < n; p++, b = (b + one) % (8 * n)) {                                                \
                entry at = entry_of(b, n);                                                                            \
                int64_t j = sine ? n - 1 - at.k : at.k;                                                               \
                for (int64_t l = 0; l < L; l++) R(v, p) = at.minus ? -X(j) : X(j);                                    \
            }                                                                                                         \
        } else {                                                                                                      \
            EACH(j, 0, h) {                                                                                           \
                T a = X(sine ? n - 1 - 2 * j : 2 * j), b = X(sine ? 2 * j : n - 1 - 2 * j);                           \
                RE(v, j) = FMA(a, c[j], -(b * s[j])), IM(v, j) = FMA(a, s[j], b * c[j]);                              \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static inline __attribute__((always_inline)) void after_##S(                                                      \
        int type, int sine, int ortho, int64_t n, int64_t L, const T *restrict w, double scale_,                      \
        const T *restrict c, const T *restrict s, T *restrict y, int64_t y_step) {                                    \
        int64_t h = n / 2, half = (n + 1) / 2;                                                                        \
        T scale = (T)scale_;                                                                                          \
        if (type == 2) { /* w[k] (c + i s): y[k] and y[n - k] are its parts */                                        \
            EACH(k, 1, half) {                                                                                        \
                T a = RE(w, k), b = IM(w, k);                                                                         \
                Y(sine ? n - 1 - k : k) = FMA(c[k], a, -(s[k] * b));                                                  \
                Y(sine ? k - 1 : n - k) = FMA(-s[k], a, -(c[k] * b));                                                 \
            }                                                                                                         \
            if (n % 2 == 0) EACH(k, 0, 1) Y(sine ? h - 1 : h) = c[h] * RE(w, h);                                      \
            EACH(k, 0, 1) Y(sine ? n - 1 : 0) = RE(w, 0) * c[0];                                                      \
        } else if (type == 3) {                                                                                       \
            EACH(j, 0, n - h) Y(2 * j) = R(w, j);                                                                     \
            if (sine)                                                                                                 \
                EACH(j, 0, h) Y(2 * j + 1) = -R(w, n - 1 - j);                                                        \
            else                                                                                                      \
                EACH(j, 0, h) Y(2 * j + 1) = R(w, n - 1 - j);                                                         \
        } else if (type == 1 && sine) {                                                                               \
            EACH(k, 0, n) Y(k) = -IM(w, k + 1) * scale;                                                               \
        } else if (type == 1) {                                                                                       \
            W down = ortho ? scale_ / SQRT2 : scale_;                                                                 \
            EACH(k, 1, n - 1) Y(k) = RE(w, k) * scale;                                                                \
            EACH(k, 0, 1) Y(0) = (T)(RE(w, 0) * down), Y(n - 1) = (T)(RE(w, n - 1) * down);                           \
        } else if (n % 2) {                                                                                           \
            T re = n % 8 == 1 || n % 8 == 7 ? 1 : -1, im = n % 8 < 4 ? 1 : -1;                                        \
            for (int64_t q = 0; q < half; q++)                                                                        \
                for (int image = 0; image < 1 + (q > 0); image++) {                                                   \
                    entry at = entry_of((n * (n % 8) + 8 * (image ? n - q : q)) % (8 * n), n);                        \
                    T f = at.minus ^ (sine & at.k % 2) ? -c[0] : c[0], g = image ? -im : im;                          \
                    for (int64_t l = 0; l < L; l++) Y(at.k) = (re * RE(w, q) + g * IM(w, q)) * f;                     \
                }                                                                                                     \
        } else {                                                                                                      \
            T odd = sine ? 1 : -1; /* n - 1 - 2 k is odd */                                                           \
            c += n, s += n;        /* two planes of n / 2 */                                                          \
            EACH(k, 0, h) {                                                                                           \
                T a = RE(w, k), b = IM(w, k);                                                                         \
                Y(2 * k) = FMA(a, c[k], -(b * s[k])), Y(n - 1 - 2 * k) = FMA(a, s[k], b * c[k]) * odd;                \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    FUSED static void before_line_##S(int type, int sine, int ortho, int64_t n, const void *x, const void *c,         \
                                      const void *s, void *v) {                                                       \
        before_##S(type, sine, ortho, n, 1, x, 1, c, s, v);                                                           \
    }                                                                                                                 \
    FUSED static void after_line_##S(int type, int sine, int ortho, int64_t n, const void *w, double scale,           \
                                     const void *c, const void *s, void *y) {                                         \
        after_##S(type, sine, ortho, n, 1, w, scale, c, s, y, 1);                                                     \
    }                                                                                                                 \
    FUSED static void before_lines_##S(int type, int sine, int ortho, int64_t n, int64_t L, const void *x,            \
                                       int64_t x_step, const void *c, const void *s, void *v) {                       \
        before_##S(type, sine, ortho, n, L, x, x_step, c, s, v);                                                      \
    }                                                                                                                 \
    FUSED static void after_lines_##S(int type, int sine, int ortho, int64_t n, int64_t L, const void *w,             \
                                      double scale, const void *c, const void *s, void *y, int64_t y_step) {          \
        after_##S(type, sine, ortho, n, L, w, scale, c, s, y, y_step);                                                \
    }
#define SQRT2 1.41421356237309504880168872420969807857L
TRIG(float, f, double, __builtin_fmaf)
TRIG(double, d, long double, __builtin_fma)

void rl_fourier_block_trig(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out,
                           int64_t lanes, room r) {
    const rl_fourier_plan *p = a->p;
    int64_t item = a->item, n = a->n, m = p->a->n; /* m: numbers of the line that is transformed instead */
    int type = (int)(a->trig & 7), sine = a->trig >> 3 & 1, ortho = a->trig >> 4 & 1;
    int pairs = type == 4 && n % 2 == 0;
    axis sub = *a;
    sub.p = p->a, sub.sign = 1, sub.scale = 1, sub.real_n = m, sub.n = pairs ? m : m / 2 + 1;
    sub.kind = pairs ? RL_FOURIER_C2C : type == 3 ? RL_FOURIER_C2R : RL_FOURIER_R2C;
    int64_t before = pairs ? 2 * m : type == 3 ? 2 * sub.n : m; /* real numbers per line */
    int64_t after = type == 3 ? m : 2 * sub.n;
    int along = a->mode == LINES;
    if (!along) sub.mode = BESIDE;
    rows x = a->mode == BESIDE ? beside(a, in, a->in_step, REALS)
                               : rl_fourier_fetch(a, REALS, in, a->in_step, line_in, n, lanes, &r);
    rows y = a->mode == BESIDE || (along && a->out_step == item)
                 ? (rows){out, out, a->out_step, along ? line_out : item, REALS, 0, 0}
                 : planes_of(a, &r, n, lanes);
    char *v = planes(&r, before, lanes, item).re, *w = planes(&r, after, lanes, item).re;
    const char *c = p->table, *s = c + (type == 4 ? n / 2 : n / 2 + 1) * item;
    if (!a->j->dry && along)
        for (int64_t l = 0; l < lanes; l++)
            BOTH(item, before_line, type, sine, ortho, n, x.re + l * x.line, c, s, v + l * before * item);
    else if (!a->j->dry)
        BOTH(item, before_lines, type, sine, ortho, n, lanes, x.re, x.step / item, c, s, v);
    /* the layout of the input of the Fourier transform: line after line, or lines side by side */
    int64_t in_unit = sub.kind == RL_FOURIER_R2C ? item : 2 * item, out_unit = type == 3 ? item : 2 * item;
    sub.in_step = along ? in_unit : in_unit * lanes, sub.out_step = along ? out_unit : out_unit * lanes;
    block_fn *block = pairs       ? rl_fourier_block_complex
                      : type == 3 ? rl_fourier_block_back
                                  : rl_fourier_block_forward;
    block(&sub, v, w, along ? before * item : in_unit, along ? after * item : out_unit, lanes, r);
    if (!a->j->dry && along)
        for (int64_t l = 0; l < lanes; l++)
            BOTH(item, after_line, type, sine, ortho, n, w + l * after * item, a->scale, c, s, y.re + l * y.line);
    else if (!a->j->dry)
        BOTH(item, after_lines, type, sine, ortho, n, lanes, w, a->scale, c, s, y.re, y.step / item);
    if (a->mode != BESIDE) rl_fourier_deliver(a, y, REALS, out, a->out_step, line_out, n, lanes);
}
