/* Cosine and sine transforms of one axis, by real and complex ones: part of fourier.c.
 *
 * Sources: Makhoul, "A fast cosine transform in one and two dimensions", 1980 (types 2 and 3); Martucci, "Symmetric
 * convolution and the discrete sine and cosine transforms", 1994 (type 1 as a longer line's, sines by cosines). */

/* x, y: a line of n numbers; v, w: what is transformed and what has come of it. c, s: the plan's twiddles, two tables of
 * them for type 4. up, down: what the ends are multiplied by before and after, scale: all results. */
#define TRIG(T, S)                                                                                                    \
    CLONES static void before_##S(int type, int sine, int64_t n, const T *restrict x, T up, const T *c, const T *s,   \
                                  T *restrict v) {                                                                    \
        int64_t h = n / 2;                                                                                            \
        if (type == 2) { /* the numbers at even places, then those at odd ones from the last */                       \
            for (int64_t j = 0; j < n - h; j++) v[j] = x[2 * j];                                                      \
            if (sine)                                                                                                 \
                for (int64_t j = 0; j < h; j++) v[n - 1 - j] = -x[2 * j + 1];                                         \
            else                                                                                                      \
                for (int64_t j = 0; j < h; j++) v[n - 1 - j] = x[2 * j + 1];                                          \
        } else if (type == 3) { /* (x[k] - i x[n - k]) (c + i s) */                                                   \
            if (sine)                                                                                                 \
                for (int64_t k = 1; k <= h; k++) {                                                                    \
                    T a = x[n - 1 - k], b = x[k - 1];                                                                 \
                    v[2 * k] = c[k] * a - s[k] * b, v[2 * k + 1] = -s[k] * a - c[k] * b;                              \
                }                                                                                                     \
            else                                                                                                      \
                for (int64_t k = 1; k <= h; k++) {                                                                    \
                    T a = x[k], b = x[n - k];                                                                         \
                    v[2 * k] = c[k] * a - s[k] * b, v[2 * k + 1] = -s[k] * a - c[k] * b;                              \
                }                                                                                                     \
            v[0] = x[sine ? n - 1 : 0] * up, v[1] = 0;                                                                \
        } else if (type == 1 && sine) {                                                                               \
            v[0] = v[n + 1] = 0;                                                                                      \
            for (int64_t j = 0; j < n; j++) v[j + 1] = x[j];                                                          \
            for (int64_t j = 0; j < n; j++) v[2 * n + 1 - j] = -x[j];                                                 \
        } else if (type == 1) {                                                                                       \
            for (int64_t j = 0; j < n; j++) v[j] = x[j];                                                              \
            for (int64_t j = 1; j < n - 1; j++) v[2 * n - 2 - j] = x[j];                                              \
            v[0] *= up, v[n - 1] *= up;                                                                               \
        } else if (n % 2) {                                                                                           \
            for (int64_t j = 0; j < n; j++) {                                                                         \
                T a = x[sine ? n - 1 - j : j];                                                                        \
                v[2 * j] = a * c[j], v[2 * j + 1] = a * s[j];                                                         \
            }                                                                                                         \
            for (int64_t j = 2 * n; j < 4 * n; j++) v[j] = 0;                                                         \
        } else {                                                                                                      \
            for (int64_t j = 0; j < h; j++) {                                                                         \
                T a = x[sine ? n - 1 - 2 * j : 2 * j], b = x[sine ? 2 * j : n - 1 - 2 * j];                           \
                v[2 * j] = a * c[j] - b * s[j], v[2 * j + 1] = a * s[j] + b * c[j];                                   \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    CLONES static void after_##S(int type, int sine, int64_t n, const T *restrict w, T down, T scale, const T *c,     \
                                 const T *s, T *restrict y) {                                                         \
        int64_t h = n / 2, half = (n - 1) / 2;                                                                        \
        T twice = 2 * scale;                                                                                          \
        if (type == 2) { /* w[k] (c + i s): y[k] and y[n - k] are its parts */                                        \
            if (sine)                                                                                                 \
                for (int64_t k = 1; k <= half; k++) {                                                                 \
                    T a = w[2 * k], b = w[2 * k + 1];                                                                 \
                    y[n - 1 - k] = (c[k] * a - s[k] * b) * twice, y[k - 1] = (-s[k] * a - c[k] * b) * twice;          \
                }                                                                                                     \
            else                                                                                                      \
                for (int64_t k = 1; k <= half; k++) {                                                                 \
                    T a = w[2 * k], b = w[2 * k + 1];                                                                 \
                    y[k] = (c[k] * a - s[k] * b) * twice, y[n - k] = (-s[k] * a - c[k] * b) * twice;                  \
                }                                                                                                     \
            if (n % 2 == 0) y[sine ? h - 1 : h] = c[h] * w[2 * h] * twice;                                            \
            y[sine ? n - 1 : 0] = w[0] * twice * down;                                                                \
        } else if (type == 3) {                                                                                       \
            for (int64_t j = 0; j < n - h; j++) y[2 * j] = w[j];                                                      \
            if (sine)                                                                                                 \
                for (int64_t j = 0; j < h; j++) y[2 * j + 1] = -w[n - 1 - j];                                         \
            else                                                                                                      \
                for (int64_t j = 0; j < h; j++) y[2 * j + 1] = w[n - 1 - j];                                          \
        } else if (type == 1 && sine) {                                                                               \
            for (int64_t k = 0; k < n; k++) y[k] = -w[2 * k + 3] * scale;                                             \
        } else if (type == 1) {                                                                                       \
            for (int64_t k = 0; k < n; k++) y[k] = w[2 * k] * scale;                                                  \
            y[0] *= down, y[n - 1] *= down;                                                                           \
        } else if (n % 2) {                                                                                           \
            c += 2 * n, s += 2 * n;                                                                                   \
            for (int64_t k = 0; k < n; k++) {                                                                         \
                T a = (w[2 * k] * c[k] - w[2 * k + 1] * s[k]) * twice;                                                \
                y[k] = sine && k % 2 ? -a : a;                                                                        \
            }                                                                                                         \
        } else {                                                                                                      \
            c += n, s += n; /* two planes of n / 2 */                                                                 \
            T odd = sine ? twice : -twice; /* n - 1 - 2 k is odd */                                                   \
            for (int64_t k = 0; k < h; k++) {                                                                         \
                T a = w[2 * k], b = w[2 * k + 1];                                                                     \
                y[2 * k] = (a * c[k] - b * s[k]) * twice, y[n - 1 - 2 * k] = (a * s[k] + b * c[k]) * odd;             \
            }                                                                                                         \
        }                                                                                                             \
    }
TRIG(float, f)
TRIG(double, d)

/* Twiddles in the first table of a plan; the second one lies behind it. */
static int64_t trig_twiddles(int type, int64_t n) { return type == 4 ? (n % 2 ? n : n / 2) : n / 2 + 1; }

static void block_trig(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out, int64_t lanes,
                       room r) {
    const rl_fourier_plan *p = a->p;
    int64_t item = a->item, n = a->n, m = p->a->n; /* m: numbers of the line that is transformed instead */
    int type = (int)(a->trig & 7), sine = a->trig >> 3 & 1, ortho = a->trig >> 4 & 1 && type != 4 && !(type == 1 && sine);
    double up = ortho ? 1.4142135623730951 : 1, down = ortho ? 0.7071067811865476 : 1;
    if (type == 2) up = 1;
    axis sub = *a;
    sub.p = p->a, sub.sign = 1, sub.scale = 1, sub.real_n = m, sub.n = type == 4 ? m : m / 2 + 1;
    sub.kind = type == 4 ? RL_FOURIER_C2C : type == 3 ? RL_FOURIER_C2R : RL_FOURIER_R2C;
    if (type == 3) sub.scale = a->scale;
    int64_t before = type == 4 ? 2 * m : type == 3 ? 2 * sub.n : m, after = type == 3 ? m : 2 * sub.n; /* reals a line */
    rows x = planes_in_turn(&r, n, lanes, item);
    rows v = planes(&r, before, lanes, item), w = planes(&r, after, lanes, item);
    collect(a, REALS, in, a->in_step, line_in, n, n, lanes, 1, x);
    const char *c = p->table, *s = c + trig_twiddles(type, n) * item;
    if (!a->j->dry)
        for (int64_t l = 0; l < lanes; l++) {
            char *to = v.re + l * before * item;
            if (item == 4)
                before_f(type, sine, n, T_(x.re + l * x.line), (float)up, T_(c), T_(s), T_(to));
            else
                before_d(type, sine, n, T_(x.re + l * x.line), up, T_(c), T_(s), T_(to));
        }
    sub.in_step = type == 2 || type == 1 ? item : 2 * item, sub.out_step = type == 3 ? item : 2 * item;
    if (type == 4)
        block_complex(&sub, v.re, w.re, before * item, after * item, lanes, r);
    else
        (type == 3 ? block_back : block_forward)(&sub, v.re, w.re, before * item, after * item, lanes, r);
    if (!a->j->dry)
        for (int64_t l = 0; l < lanes; l++) {
            const char *from = w.re + l * after * item;
            if (item == 4)
                after_f(type, sine, n, T_(from), (float)down, (float)a->scale, T_(c), T_(s), T_(x.re + l * x.line));
            else
                after_d(type, sine, n, T_(from), down, a->scale, T_(c), T_(s), T_(x.re + l * x.line));
        }
    distribute(a, x, REALS, out, a->out_step, line_out, n, lanes);
}
