/* Cosine and sine transforms of one axis, by real and complex ones.
 *
 * Sources: Makhoul, "A fast cosine transform in one and two dimensions", 1980 (types 2 and 3); Martucci, "Symmetric
 * convolution and the discrete sine and cosine transforms", 1994 (type 1 as a longer line's, sines by cosines). */
#include "fourier_parts.h"

/* x, y: n numbers of each line, x_step and y_step apart, lines side by side; v, w: what is transformed and what has
 * come of it, L lines side by side. c, s: the plan's twiddles, two tables of them for type 4. up, down: what the ends
 * are multiplied by before and after, scale: all results. Loops over lines are innermost, and gone where there is one.
 */
#define X(k) x[(k) * x_step + l]
#define Y(k) y[(k) * y_step + l]
#define R(v, k) v[(k) * L + l]
#define RE(v, k) v[2 * ((k) * L + l)]
#define IM(v, k) v[2 * ((k) * L + l) + 1]
#define EACH(k, from, to)                                                                                             \
    for (int64_t k = (from); k < (to); k++)                                                                           \
        for (int64_t l = 0; l < L; l++)
#define TRIG(T, S)                                                                                                    \
    static inline __attribute__((always_inline)) void before_##S(                                                     \
        int type, int sine, int64_t n, int64_t L, const T *restrict x, int64_t x_step, T up, const T *restrict c,     \
        const T *restrict s, T *restrict v) {                                                                         \
        int64_t h = n / 2;                                                                                            \
        if (type == 2) { /* the numbers at even places, then those at odd ones from the last */                       \
            EACH(j, 0, n - h) R(v, j) = X(2 * j);                                                                     \
            if (sine)                                                                                                 \
                EACH(j, 0, h) R(v, n - 1 - j) = -X(2 * j + 1);                                                        \
            else                                                                                                      \
                EACH(j, 0, h) R(v, n - 1 - j) = X(2 * j + 1);                                                         \
        } else if (type == 3) { /* (x[k] - i x[n - k]) (c + i s), conjugated; sines: of the line turned around */     \
            if (sine)                                                                                                 \
                EACH(k, 1, h + 1) {                                                                                   \
                    T a = X(n - 1 - k), b = X(k - 1);                                                                 \
                    RE(v, k) = c[k] * a - s[k] * b, IM(v, k) = -s[k] * a - c[k] * b;                                  \
                }                                                                                                     \
            else                                                                                                      \
                EACH(k, 1, h + 1) {                                                                                   \
                    T a = X(k), b = X(n - k);                                                                         \
                    RE(v, k) = c[k] * a - s[k] * b, IM(v, k) = -s[k] * a - c[k] * b;                                  \
                }                                                                                                     \
            EACH(k, 0, 1) RE(v, 0) = X(sine ? n - 1 : 0) * up, IM(v, 0) = 0;                                          \
        } else if (type == 1 && sine) {                                                                               \
            EACH(k, 0, 1) R(v, 0) = R(v, n + 1) = 0;                                                                  \
            EACH(j, 0, n) R(v, j + 1) = X(j);                                                                         \
            EACH(j, 0, n) R(v, 2 * n + 1 - j) = -X(j);                                                                \
        } else if (type == 1) {                                                                                       \
            EACH(j, 1, n - 1) R(v, j) = X(j);                                                                         \
            EACH(j, 1, n - 1) R(v, 2 * n - 2 - j) = X(j);                                                             \
            EACH(j, 0, 1) R(v, 0) = X(0) * up, R(v, n - 1) = X(n - 1) * up;                                           \
        } else if (n % 2) {                                                                                           \
            EACH(j, 0, n) {                                                                                           \
                T a = X(sine ? n - 1 - j : j);                                                                        \
                RE(v, j) = a * c[j], IM(v, j) = a * s[j];                                                             \
            }                                                                                                         \
            EACH(j, n, 2 * n) RE(v, j) = IM(v, j) = 0;                                                                \
        } else if (sine) {                                                                                            \
            EACH(j, 0, h) {                                                                                           \
                T a = X(n - 1 - 2 * j), b = X(2 * j);                                                                 \
                RE(v, j) = a * c[j] - b * s[j], IM(v, j) = a * s[j] + b * c[j];                                       \
            }                                                                                                         \
        } else {                                                                                                      \
            EACH(j, 0, h) {                                                                                           \
                T a = X(2 * j), b = X(n - 1 - 2 * j);                                                                 \
                RE(v, j) = a * c[j] - b * s[j], IM(v, j) = a * s[j] + b * c[j];                                       \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static inline __attribute__((always_inline)) void after_##S(                                                      \
        int type, int sine, int64_t n, int64_t L, const T *restrict w, T down, T scale, const T *restrict c,          \
        const T *restrict s, T *restrict y, int64_t y_step) {                                                         \
        int64_t h = n / 2, half = (n + 1) / 2;                                                                        \
        T twice = 2 * scale;                                                                                          \
        if (type == 2) { /* w[k] (c + i s): y[k] and y[n - k] are its parts */                                        \
            if (sine)                                                                                                 \
                EACH(k, 1, half) {                                                                                    \
                    T a = RE(w, k), b = IM(w, k);                                                                     \
                    Y(n - 1 - k) = (c[k] * a - s[k] * b) * twice, Y(k - 1) = (-s[k] * a - c[k] * b) * twice;          \
                }                                                                                                     \
            else                                                                                                      \
                EACH(k, 1, half) {                                                                                    \
                    T a = RE(w, k), b = IM(w, k);                                                                     \
                    Y(k) = (c[k] * a - s[k] * b) * twice, Y(n - k) = (-s[k] * a - c[k] * b) * twice;                  \
                }                                                                                                     \
            if (n % 2 == 0) EACH(k, 0, 1) Y(sine ? h - 1 : h) = c[h] * RE(w, h) * twice;                              \
            EACH(k, 0, 1) Y(sine ? n - 1 : 0) = RE(w, 0) * twice * down;                                              \
        } else if (type == 3) {                                                                                       \
            EACH(j, 0, n - h) Y(2 * j) = R(w, j);                                                                     \
            if (sine)                                                                                                 \
                EACH(j, 0, h) Y(2 * j + 1) = -R(w, n - 1 - j);                                                        \
            else                                                                                                      \
                EACH(j, 0, h) Y(2 * j + 1) = R(w, n - 1 - j);                                                         \
        } else if (type == 1 && sine) {                                                                               \
            EACH(k, 0, n) Y(k) = -IM(w, k + 1) * scale;                                                               \
        } else if (type == 1) {                                                                                       \
            EACH(k, 1, n - 1) Y(k) = RE(w, k) * scale;                                                                \
            EACH(k, 0, 1) Y(0) = RE(w, 0) * scale * down, Y(n - 1) = RE(w, n - 1) * scale * down;                     \
        } else if (n % 2) {                                                                                           \
            T odd = sine ? -twice : twice;                                                                            \
            c += 2 * n, s += 2 * n;                                                                                   \
            EACH(k, 0, n) Y(k) = (RE(w, k) * c[k] - IM(w, k) * s[k]) * (k % 2 ? odd : twice);                         \
        } else {                                                                                                      \
            T odd = sine ? twice : -twice; /* n - 1 - 2 k is odd */                                                   \
            c += n, s += n;                /* two planes of n / 2 */                                                  \
            EACH(k, 0, h) {                                                                                           \
                T a = RE(w, k), b = IM(w, k);                                                                         \
                Y(2 * k) = (a * c[k] - b * s[k]) * twice, Y(n - 1 - 2 * k) = (a * s[k] + b * c[k]) * odd;             \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    CLONES static void before_line_##S(int type, int sine, int64_t n, const void *x, double up, const void *c,        \
                                       const void *s, void *v) {                                                      \
        before_##S(type, sine, n, 1, x, 1, (T)up, c, s, v);                                                           \
    }                                                                                                                 \
    CLONES static void after_line_##S(int type, int sine, int64_t n, const void *w, double down, double scale,        \
                                      const void *c, const void *s, void *y) {                                        \
        after_##S(type, sine, n, 1, w, (T)down, (T)scale, c, s, y, 1);                                                \
    }                                                                                                                 \
    CLONES static void before_lines_##S(int type, int sine, int64_t n, int64_t L, const void *x, int64_t x_step,      \
                                        double up, const void *c, const void *s, void *v) {                           \
        before_##S(type, sine, n, L, x, x_step, (T)up, c, s, v);                                                      \
    }                                                                                                                 \
    CLONES static void after_lines_##S(int type, int sine, int64_t n, int64_t L, const void *w, double down,          \
                                       double scale, const void *c, const void *s, void *y, int64_t y_step) {         \
        after_##S(type, sine, n, L, w, (T)down, (T)scale, c, s, y, y_step);                                           \
    }
TRIG(float, f)
TRIG(double, d)

/* Twiddles in the first table of a plan; the second one lies behind it. */
static int64_t trig_twiddles(int type, int64_t n) { return type == 4 ? (n % 2 ? n : n / 2) : n / 2 + 1; }

void rl_fourier_block_trig(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out,
                           int64_t lanes, room r) {
    const rl_fourier_plan *p = a->p;
    int64_t item = a->item, n = a->n, m = p->a->n; /* m: numbers of the line that is transformed instead */
    int type = (int)(a->trig & 7), sine = a->trig >> 3 & 1;
    int ortho = a->trig >> 4 & 1 && type != 4 && !(type == 1 && sine);
    double up = ortho ? 1.4142135623730951 : 1, down = ortho ? 0.7071067811865476 : 1;
    if (type == 2) up = 1;
    axis sub = *a;
    sub.p = p->a, sub.sign = 1, sub.scale = 1, sub.real_n = m, sub.n = type == 4 ? m : m / 2 + 1;
    sub.kind = type == 4 ? RL_FOURIER_C2C : type == 3 ? RL_FOURIER_C2R : RL_FOURIER_R2C;
    if (type == 3) sub.scale = a->scale;
    int64_t before = type == 4 ? 2 * m : type == 3 ? 2 * sub.n : m; /* real numbers a line */
    int64_t after = type == 3 ? m : 2 * sub.n;
    int along = a->mode == LINES;
    if (!along) sub.mode = BESIDE;
    rows x = a->mode == BESIDE ? beside(in, a->in_step, item, REALS)
                               : rl_fourier_fetch(a, REALS, in, a->in_step, line_in, n, lanes, &r);
    rows y = a->mode == BESIDE || (along && a->out_step == item)
                 ? (rows){out, out, a->out_step, along ? line_out : item, REALS}
                 : planes_of(a, &r, n, lanes);
    char *v = planes(&r, before, lanes, item).re, *w = planes(&r, after, lanes, item).re;
    const char *c = p->table, *s = c + trig_twiddles(type, n) * item;
    if (!a->j->dry && along)
        for (int64_t l = 0; l < lanes; l++)
            BOTH(item, before_line, type, sine, n, x.re + l * x.line, up, c, s, v + l * before * item);
    else if (!a->j->dry)
        BOTH(item, before_lines, type, sine, n, lanes, x.re, x.step / item, up, c, s, v);
    /* what is transformed lies as here: line after line, or lines side by side */
    int64_t in_unit = type == 2 || type == 1 ? item : 2 * item, out_unit = type == 3 ? item : 2 * item;
    sub.in_step = along ? in_unit : in_unit * lanes, sub.out_step = along ? out_unit : out_unit * lanes;
    block_fn *block = type == 4   ? rl_fourier_block_complex
                      : type == 3 ? rl_fourier_block_back
                                  : rl_fourier_block_forward;
    block(&sub, v, w, along ? before * item : in_unit, along ? after * item : out_unit, lanes, r);
    if (!a->j->dry && along)
        for (int64_t l = 0; l < lanes; l++)
            BOTH(item, after_line, type, sine, n, w + l * after * item, down, a->scale, c, s, y.re + l * y.line);
    else if (!a->j->dry)
        BOTH(item, after_lines, type, sine, n, lanes, w, down, a->scale, c, s, y.re, y.step / item);
    if (a->mode != BESIDE) rl_fourier_deliver(a, y, REALS, out, a->out_step, line_out, n, lanes);
}
