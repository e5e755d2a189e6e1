#include "fourier.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "pool.h"

/* The loops between codelets. Several instruction sets, the same bits: nothing is contracted (-ffp-contract=off). */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif

enum { PLANES, SIGNED, PAIRS, REALS };       /* forms of numbers in memory */
enum { APART = 1 };                          /* with a target's form: those of two lines in one vector */
enum { PASS, TURN, POST, PRE, LINE };              /* kinds of codelets */
enum { NONE, ONE_FOR_ALL, ONE_A_LANE };      /* twiddles */
enum { CODELETS = 1 << 16, LANE_BYTES = 64, HALF = 32, SHORT = 128, SHORT_BYTES = 256, LINE_BYTES = 2048, MANY = 8 };
enum { BLOCK_LEAST = 4096, BLOCK_MOST = 1 << 17 };

typedef int64_t (*codelet)(const int64_t *slots);
static _Atomic(codelet) codelets[CODELETS];

void rl_fourier_codelet(int64_t number, const void *code) {
    codelet f;
    memcpy(&f, &code, sizeof f);
    if (number > 0 && number < CODELETS) atomic_store(&codelets[number], f);
}

/* What all parts of a call share. A dry run calls nothing: it finds out which codelets are missing. */
typedef struct {
    int dry;
    _Atomic int64_t error;
} job;

static void fail(job *j, int64_t error) {
    int64_t none = 0;
    atomic_compare_exchange_strong(&j->error, &none, error);
}

static int failed(job *j) { return atomic_load_explicit(&j->error, memory_order_relaxed) != 0; }

static int number_of(int64_t item, int kind, int source, int target, int twiddles, int64_t radix) {
    return (item == 8) | kind << 1 | source << 4 | target << 6 | twiddles << 8 | (int)radix << 10;
}

static void run(job *j, int number, const int64_t *slots) {
    codelet f = atomic_load_explicit(&codelets[number], memory_order_acquire);
    if (!f)
        fail(j, number);
    else if (!j->dry)
        f(slots);
}

/* Lines: element i of line l is at re + i * step + l * line (bytes), and at im as well where they are planes. Either
 * the elements of a line lie in a piece, or (lines side by side) the lines' elements do. */
typedef struct {
    char *re, *im;
    int64_t step, line;
    int form;
} rows;

static int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* Room for the planes of a task, given out from the front. */
typedef struct {
    char *at;
} room;

static int64_t plane_bytes(int64_t numbers, int64_t item) {
    int64_t bytes = (numbers * item + 63) / 64 * 64 + 192; /* an odd number of lines: planes of 2^k share no sets */
    return bytes / 64 % 2 ? bytes : bytes + 64;
}

static rows planes(room *r, int64_t n, int64_t lanes, int64_t item) {
    int64_t bytes = plane_bytes(n * lanes, item);
    rows x = {r->at, r->at + bytes, lanes * item, item, PLANES};
    r->at += 2 * bytes;
    return x;
}

/* The same for lines one after the other. */
static rows planes_in_turn(room *r, int64_t n, int64_t lines, int64_t item) {
    rows x = planes(r, n, lines, item);
    x.step = item, x.line = n * item;
    return x;
}

static int64_t unit_of(int form, int64_t item) { return form == PAIRS ? 2 * item : item; }

/* ---- passes ----------------------------------------------------------------------------------------------------- */

typedef struct {
    double sign, re, im; /* what imaginary parts are multiplied by first, and the results' parts in the end */
} factors;

static void pass(job *j, const rl_fourier_plan *p, int64_t a, int64_t m, rows x, rows y, int64_t count,
                 int64_t in_group, int64_t out_group, int64_t in_step, int64_t out_step, int64_t lanes, int twiddles,
                 factors f) {
    int64_t r = p->radix[a];
    const char *w = p->w[a];
    int64_t slots[18] = {(int64_t)x.re,
                         (int64_t)x.im,
                         (int64_t)y.re,
                         (int64_t)y.im,
                         (int64_t)w,
                         (int64_t)(twiddles == NONE ? w : w + (r - 1) * m * p->item),
                         count,
                         in_group,
                         out_group,
                         in_step,
                         out_step,
                         lanes,
                         m * p->item,
                         twiddles == ONE_FOR_ALL ? p->item : 0,
                         bits_of(f.sign),
                         bits_of(f.re),
                         bits_of(f.im),
                         y.line};
    run(j, number_of(p->item, PASS, x.form, y.form, twiddles, r), slots);
}

/* Lines side by side (Stockham's order: input[q + s (p + m i)] becomes output[q + s (r p + i)], s being the product of
 * the radices before, and q one range with the lanes). `r`: two planes of n each, twice. */
static void side_by_side(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lanes, factors f, room r) {
    int64_t item = p->item, left = p->n, s = 1;
    if (p->passes == 1) {
        if (x.form == PLANES) x.form = SIGNED;
        pass(j, p, 0, 1, x, y, 1, 0, 0, x.step, y.step, lanes, NONE, f);
        return;
    }
    rows to = planes(&r, p->n, lanes, item), other = {0, 0, 0, 0, 0};
    if (p->passes > 2) other = planes(&r, p->n, lanes, item);
    for (int64_t a = 0; a < p->passes; a++) {
        int64_t radix = p->radix[a], m = left / radix, row = s * lanes * item;
        if (a == 0) {
            if (x.form == PLANES) x.form = SIGNED;
            pass(j, p, a, m, x, to, m, x.step, radix * row, m * x.step, row, lanes, ONE_FOR_ALL, f);
        } else if (a < p->passes - 1) {
            pass(j, p, a, m, x, to, m, row, radix * row, m * row, row, s * lanes, ONE_FOR_ALL, f);
        } else if (y.form == PLANES && y.step == lanes * item) {
            pass(j, p, a, 1, x, y, 1, 0, 0, row, row, s * lanes, NONE, f);
        } else {
            pass(j, p, a, 1, x, y, s, lanes * item, y.step, row, s * y.step, lanes, NONE, f);
        }
        rows was = x;
        x = to, to = a ? was : other;
        left = m, s *= radix;
    }
}

/* Rows at the given offsets (bytes) to columns. w: twiddles of columns, times those of rows, or NULL. */
static void turn(job *j, int64_t item, rows x, const int64_t *offsets, int64_t n_rows, int64_t n_columns, rows y,
                 const rows *w) {
    int64_t slots[13] = {(int64_t)x.re, (int64_t)x.im, (int64_t)y.re, (int64_t)y.im, (int64_t)offsets, n_rows,
                         n_columns,     y.step};
    if (w) {
        slots[8] = (int64_t)w[0].re, slots[9] = (int64_t)w[0].im, slots[10] = w[0].step;
        slots[11] = (int64_t)w[1].re, slots[12] = (int64_t)w[1].im;
    }
    run(j, number_of(item, TURN, x.form, y.form, w ? ONE_A_LANE : NONE, 0), slots);
}

/* The logarithm of a radix that is a power of two; 0 of any other. */
static int log_of(int64_t radix) {
    int n = 0;
    while (2 << n <= radix) n++;
    return 1 << n == radix ? n : 0;
}

/* Whether lines are so short that registers hold one: two radices that are powers of two. */
static int in_registers(const rl_fourier_plan *p) {
    return p->kind == RL_PLAN_PASSES && p->passes == 2 && p->n * p->item <= LINE_BYTES && log_of(p->radix[0]) &&
           log_of(p->radix[1]);
}

static void short_lines(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f) {
    const char *w = p->w[0];
    int64_t planes = (p->radix[0] - 1) * p->radix[1] * p->item;
    int64_t slots[12] = {(int64_t)x.re, (int64_t)x.im, (int64_t)y.re,   (int64_t)y.im,  (int64_t)w,    (int64_t)(w + planes),
                         lines,         x.line,        y.line,          bits_of(f.sign), bits_of(f.re), bits_of(f.im)};
    if (x.form == PLANES) x.form = SIGNED;
    run(j, number_of(p->item, LINE, x.form, y.form, NONE, log_of(p->radix[0]) | log_of(p->radix[1]) << 3), slots);
}

/* Lines one after the other, p->lines at most. The first passes keep their results in place, lanes along the line;
 * then rows become columns, and the other passes have as lanes what the first ones have found (docs/design/fourier.md).
 */
static void in_turn(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r) {
    int64_t item = p->item, n = p->n, left = n, blocks = 1, s = 1;
    if (in_registers(p)) {
        short_lines(j, p, x, y, lines, f);
        return;
    }
    if (!p->before) {
        for (int64_t l = 0; l < lines; l++) {
            side_by_side(j, p, x, y, 1, f, r);
            x.re += x.line, x.im += x.line, y.re += y.line, y.im += y.line;
        }
        return;
    }
    rows first = planes_in_turn(&r, n, lines, item), second = planes(&r, n, lines, item);
    for (int64_t a = 0; a < p->before; a++) {
        int64_t radix = p->radix[a], m = left / radix, unit = unit_of(x.form, item);
        if (a == 0 && x.form == PLANES) x.form = SIGNED;
        pass(j, p, a, m, x, first, blocks * lines, a ? left * unit : x.line, left * item, m * unit, m * item, m,
             ONE_A_LANE, f);
        x = first, left = m, blocks *= radix;
    }
    int64_t lanes = blocks * lines;
    second.step = lanes * item;
    turn(j, item, first, p->turn, lanes, left, second, NULL);
    x = second;
    rows to = first;
    for (int64_t a = p->before; a < p->passes; a++) {
        int64_t radix = p->radix[a], m = left / radix, row = s * lanes * item, unit = unit_of(y.form, item);
        if (a < p->passes - 1) {
            pass(j, p, a, m, x, to, m, row, radix * row, m * row, row, s * lanes, ONE_FOR_ALL, f);
        } else if (lines == 1) {
            pass(j, p, a, 1, x, y, 1, 0, 0, row, s * blocks * unit, s * blocks, NONE, f);
        } else if (s == 1) {
            int64_t two = blocks * item == HALF ? lines / 2 : 0; /* pairs of lines that fill a vector */
            rows both = y;
            both.form |= APART;
            if (two) pass(j, p, a, 1, x, both, two, 2 * HALF, 2 * y.line, row, blocks * unit, 2 * blocks, NONE, f);
            x.re += two * 2 * HALF, x.im += two * 2 * HALF, y.re += 2 * two * y.line, y.im += 2 * two * y.line;
            if (lines > 2 * two)
                pass(j, p, a, 1, x, y, lines - 2 * two, blocks * item, y.line, row, blocks * unit, blocks, NONE, f);
        } else {
            for (int64_t l = 0; l < lines; l++) {
                pass(j, p, a, 1, x, y, s, lanes * item, blocks * unit, row, s * blocks * unit, blocks, NONE, f);
                x.re += blocks * item, x.im += blocks * item, y.re += y.line, y.im += y.line;
            }
        }
        rows was = x;
        x = to, to = was;
        left = m, s *= radix;
    }
}

/* ---- loops between codelets ------------------------------------------------------------------------------------- */

#define LOOPS(T, S)                                                                                                   \
    /* (x as the form has it) times (c + i s), into planes */                                                         \
    CLONES static void times_##S(int form, const T *re, const T *im, double sign_, const T *c, const T *s, int64_t n,  \
                                 T *to, T *to_im) {                                                                    \
        T sign = (T)sign_;                                                                                            \
        if (form == PAIRS)                                                                                            \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                T a = re[2 * i], b = re[2 * i + 1] * sign;                                                            \
                to[i] = a * c[i] - b * s[i], to_im[i] = a * s[i] + b * c[i];                                          \
            }                                                                                                         \
        else if (form == REALS)                                                                                       \
            for (int64_t i = 0; i < n; i++) to[i] = re[i] * c[i], to_im[i] = re[i] * s[i];                            \
        else                                                                                                          \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                T a = re[i], b = im[i] * sign;                                                                        \
                to[i] = a * c[i] - b * s[i], to_im[i] = a * s[i] + b * c[i];                                          \
            }                                                                                                         \
    }                                                                                                                 \
    /* planes times (c + i s), then parts times p and q, as the form has it */                                        \
    CLONES static void back_##S(const T *re, const T *im, const T *c, const T *s, int64_t n, double p_, double q_,    \
                                int form, T *to, T *to_im) {                                                          \
        T p = (T)p_, q = (T)q_;                                                                                       \
        if (form == PAIRS)                                                                                            \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                T a = re[i], b = im[i];                                                                               \
                to[2 * i] = (a * c[i] - b * s[i]) * p, to[2 * i + 1] = (a * s[i] + b * c[i]) * q;                     \
            }                                                                                                         \
        else                                                                                                          \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                T a = re[i], b = im[i];                                                                               \
                to[i] = (a * c[i] - b * s[i]) * p, to_im[i] = (a * s[i] + b * c[i]) * q;                              \
            }                                                                                                         \
    }                                                                                                                 \
    /* n numbers of the lines that lie apart -> planes; conj: the second half of a line is the first one's image */   \
    static void gather_##S(int form, const char *x, int64_t step, int64_t lane_step, int64_t n, int64_t size,         \
                           int64_t lanes, double sign_, T *re, T *im, int64_t row, int64_t lane) {                    \
        T sign = (T)sign_;                                                                                            \
        for (int64_t l = 0; l < lanes; l++)                                                                           \
            for (int64_t i = 0; i < size; i++) {                                                                      \
                const T *v = (const T *)(x + l * lane_step + (i < n ? i : size - i) * step);                          \
                re[i * row + l * lane] = v[0];                                                                        \
                if (form == PAIRS) im[i * row + l * lane] = i < n ? v[1] * sign : v[1] * -sign;                       \
            }                                                                                                         \
    }                                                                                                                 \
    static void scatter_##S(int form, const T *re, const T *im, int64_t row, int64_t lane, int64_t n, int64_t lanes,  \
                            char *y, int64_t step, int64_t lane_step) {                                               \
        for (int64_t l = 0; l < lanes; l++)                                                                           \
            for (int64_t i = 0; i < n; i++) {                                                                         \
                T *v = (T *)(y + l * lane_step + i * step);                                                           \
                v[0] = re[i * row + l * lane];                                                                        \
                if (form == PAIRS) v[1] = im[i * row + l * lane];                                                     \
            }                                                                                                         \
    }                                                                                                                 \
    /* x[0] and x[h], which are real, of z[0]; and back, conjugated */                                                \
    static void post_ends_##S(rows z, rows x, int64_t h, int64_t lanes, double scale_) {                              \
        T scale = (T)scale_;                                                                                          \
        int64_t pairs = x.form == PAIRS, last = h * x.step;                                                           \
        for (int64_t l = 0; l < lanes; l++) {                                                                         \
            T a = *(T *)(z.re + l * z.line), b = *(T *)(z.im + l * z.line);                                           \
            T *lo = (T *)(x.re + l * x.line), *hi = (T *)(x.re + last + l * x.line);                                  \
            T *lo_im = pairs ? lo + 1 : (T *)(x.im + l * x.line);                                                     \
            T *hi_im = pairs ? hi + 1 : (T *)(x.im + last + l * x.line);                                              \
            *lo = (a + b) * scale, *lo_im = 0, *hi = (a - b) * scale, *hi_im = 0;                                     \
        }                                                                                                             \
    }                                                                                                                 \
    static void pre_ends_##S(rows x, rows z, int64_t h, int64_t lanes) {                                              \
        for (int64_t l = 0; l < lanes; l++) {                                                                         \
            T a = *(T *)(x.re + l * x.line), b = *(T *)(x.re + l * x.line + h * x.step);                              \
            *(T *)(z.re + l * z.line) = a + b, *(T *)(z.im + l * z.line) = -(a - b);                                  \
        }                                                                                                             \
    }
LOOPS(float, f)
LOOPS(double, d)
#define BOTH(item, name, ...) ((item) == 4 ? name##_f(__VA_ARGS__) : name##_d(__VA_ARGS__))
#define T_(p) ((void *)(p))

/* ---- lines of any plan ------------------------------------------------------------------------------------------ */

static void any_lines(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r);

static void parallel(job *j, rl_range_fn fn, void *ctx, int64_t n, double ns_each) {
    if (j->dry)
        fn(ctx, 0, 1);
    else
        rl_work(fn, ctx, n, ns_each);
}

static double ns_of(double numbers, int64_t n, int64_t item) {
    double stages = 2;
    for (; n > 8; n /= 8) stages += 1;
    return numbers * stages * (item == 4 ? 0.15 : 0.3);
}

typedef struct {
    job *j;
    const rl_fourier_plan *p;
    rows x, y, between;
    factors f;
    int64_t lanes;
} square;

static int64_t side_by_side_bytes(const rl_fourier_plan *p, int64_t lanes) {
    return 4 * plane_bytes(p->n * lanes, p->item);
}

static rows moved(rows x, int64_t lanes, int64_t item) {
    x.re += lanes * unit_of(x.form, item);
    if (x.im) x.im += lanes * item;
    return x;
}

/* A table of twiddles: `numbers` real parts, then imaginary ones. */
static rows plane_pair(const char *table, int64_t numbers, int64_t columns, int64_t item) {
    return (rows){(char *)table, (char *)table + numbers * item, columns * item, item, PLANES};
}

static int64_t square_columns(void *ctx, int64_t begin, int64_t end) {
    square *s = ctx;
    const rl_fourier_plan *p = s->p, *a = p->a;
    int64_t item = p->item, n1 = a->n, n2 = p->b->n, lanes = s->lanes, blocks = (n2 + lanes - 1) / lanes;
    int64_t bytes = side_by_side_bytes(a, lanes) + 2 * plane_bytes(n1 * lanes, item) + n1 * 8;
    char *base = rl_alloc((size_t)bytes);
    if (!base) return fail(s->j, RL_NO_MEMORY), 0;
    room r = {base + n1 * 8};
    r.at += -(intptr_t)r.at & 63;
    int64_t *offsets = (int64_t *)base;
    for (int64_t k = begin; k < end && !failed(s->j); k++) {
        int64_t first = k * lanes, here = n2 - first < lanes ? n2 - first : lanes;
        room left = r;
        rows z = planes(&left, n1, here, item), x = moved(s->x, first, item), y = s->between;
        for (int64_t i = 0; i < n1; i++) offsets[i] = i * z.step;
        side_by_side(s->j, a, x, z, here, (factors){s->f.sign, 1, 1}, left);
        y.re += first * y.step, y.im += first * y.step;
        rows twiddles[] = {plane_pair(p->table, n1 * lanes, lanes, item),
                           plane_pair(p->table2 + k * n1 * item, blocks * n1, 1, item)};
        turn(s->j, item, z, offsets, n1, here, y, twiddles);
    }
    rl_free(base, (size_t)bytes);
    return 0;
}

static int64_t square_rows(void *ctx, int64_t begin, int64_t end) {
    square *s = ctx;
    const rl_fourier_plan *b = s->p->b;
    int64_t item = b->item, n1 = s->p->a->n, lanes = s->lanes, bytes = side_by_side_bytes(b, lanes);
    char *base = rl_alloc((size_t)bytes);
    if (!base) return fail(s->j, RL_NO_MEMORY), 0;
    for (int64_t k = begin; k < end && !failed(s->j); k++) {
        int64_t first = k * lanes, here = n1 - first < lanes ? n1 - first : lanes;
        side_by_side(s->j, b, moved(s->between, first, item), moved(s->y, first, item), here,
                     (factors){1, s->f.re, s->f.im}, (room){base});
    }
    rl_free(base, (size_t)bytes);
    return 0;
}

/* A line too long for the cache, as a matrix of n1 x n2: columns, twiddles, rows, all threads at each. */
static void long_line(job *j, const rl_fourier_plan *p, rows x, rows y, factors f) {
    int64_t item = p->item, n1 = p->a->n, n2 = p->b->n, plane = plane_bytes(n1 * n2, item);
    char *base = rl_alloc((size_t)(2 * plane));
    if (!base) {
        fail(j, RL_NO_MEMORY);
        return;
    }
    square s = {j, p, x, y, {base, base + plane, n1 * item, item, PLANES}, f, LANE_BYTES / item};
    s.x.step = n2 * unit_of(x.form, item), s.y.step = n1 * unit_of(y.form, item);
    parallel(j, square_columns, &s, (n2 + s.lanes - 1) / s.lanes, ns_of((double)(n1 * s.lanes), n1, item));
    parallel(j, square_rows, &s, (n1 + s.lanes - 1) / s.lanes, ns_of((double)(n2 * s.lanes), n2, item));
    rl_free(base, (size_t)(2 * plane));
}

static int64_t any_lines_bytes(const rl_fourier_plan *p) {
    if (p->kind == RL_PLAN_PASSES) return 4 * plane_bytes(p->n * p->lines, p->item);
    if (p->kind == RL_PLAN_SQUARE) return 0;
    return 4 * plane_bytes(p->a->n, p->item) + any_lines_bytes(p->a);
}

/* Bluestein: with j k = (j^2 + k^2 - (j - k)^2) / 2 the transform is a convolution, done by longer transforms. */
static void chirp_line(job *j, const rl_fourier_plan *p, rows x, rows y, factors f, room r) {
    int64_t item = p->item, n = p->n, m = p->a->n;
    rows u = planes(&r, m, 1, item), v = planes(&r, m, 1, item);
    const char *c = p->table, *s = c + n * item, *d = p->table2, *e = d + m * item;
    if (!j->dry) {
        BOTH(item, times, x.form, T_(x.re), T_(x.im), f.sign, T_(c), T_(s), n, T_(u.re), T_(u.im));
        memset(u.re + n * item, 0, (size_t)((m - n) * item)), memset(u.im + n * item, 0, (size_t)((m - n) * item));
    }
    any_lines(j, p->a, u, v, 1, (factors){1, 1, 1}, r);
    if (!j->dry) BOTH(item, times, PLANES, T_(v.re), T_(v.im), 1.0, T_(d), T_(e), m, T_(u.re), T_(u.im));
    any_lines(j, p->a, u, v, 1, (factors){-1, 1, -1}, r);
    if (!j->dry) BOTH(item, back, T_(v.re), T_(v.im), T_(c), T_(s), n, f.re, f.im, y.form, T_(y.re), T_(y.im));
}

static void any_lines(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r) {
    if (p->kind == RL_PLAN_PASSES)
        in_turn(j, p, x, y, lines, f, r);
    else if (p->kind == RL_PLAN_SQUARE)
        long_line(j, p, x, y, f);
    else
        chirp_line(j, p, x, y, f, r);
}

#include "fourier_axis.h"
#include "fourier_trig.h"

static int64_t axis_blocks(void *ctx, int64_t begin, int64_t end) {
    const axis *a = ctx;
    const rl_fourier_plan *p = complex_plan(a->p);
    int64_t longest = a->real_n + 2 > a->n ? a->real_n + 2 : a->n;
    if (a->kind == RL_FOURIER_TRIG) longest = 2 * (a->p->a->n + a->n + 2);
    int64_t bytes = (a->kind == RL_FOURIER_TRIG ? 12 : 8) * plane_bytes(longest * a->lanes, a->item);
    bytes += a->mode == LINES ? any_lines_bytes(p) : side_by_side_bytes(p, a->lanes);
    char *base = rl_alloc((size_t)bytes);
    if (!base) return fail(a->j, RL_NO_MEMORY), 0;
    int64_t last = a->nd - 1;
    for (int64_t k = begin; k < end && !failed(a->j); k++) {
        int64_t first = k % a->blocks * a->lanes, rest = k / a->blocks;
        int64_t here = a->size[last] - first < a->lanes ? a->size[last] - first : a->lanes;
        const char *in = a->in + first * a->x[last];
        char *out = a->out + first * a->y[last];
        for (int64_t d = last - 1; d >= 0; d--) {
            in += rest % a->size[d] * a->x[d], out += rest % a->size[d] * a->y[d];
            rest /= a->size[d];
        }
        room r = {base};
        if (a->kind == RL_FOURIER_TRIG)
            block_trig(a, in, out, a->x[last], a->y[last], here, r);
        else if (a->kind == RL_FOURIER_C2C)
            block_complex(a, in, out, a->x[last], a->y[last], here, r);
        else if (a->kind == RL_FOURIER_C2R)
            block_back(a, in, out, a->x[last], a->y[last], here, r);
        else
            block_forward(a, in, out, a->x[last], a->y[last], here, r);
    }
    rl_free(base, (size_t)bytes);
    return 0;
}

/* Choose how: the results' bits are the same in every mode. */
static void run_axis(axis *a) {
    int64_t item = a->item, last, best = -1, total = 1;
    int64_t unit_in = a->kind == RL_FOURIER_C2C || a->kind == RL_FOURIER_C2R ? 2 * item : item;
    int64_t unit_out = a->kind == RL_FOURIER_C2R || a->kind == RL_FOURIER_TRIG ? item : 2 * item;
    int64_t full = LANE_BYTES / item;
    const rl_fourier_plan *p = complex_plan(a->p);
    if (a->nd == 0) a->size[0] = 1, a->x[0] = a->y[0] = 0, a->nd = 1;
    for (int64_t d = 0; d < a->nd; d++) {
        total *= a->size[d];
        if (a->x[d] == unit_in && a->y[d] == unit_out && a->size[d] > 1) best = d;
    }
    int dense = a->in_step == unit_in && a->out_step == unit_out;
    a->mode = LINES, last = a->nd - 1;
    if (p->kind == RL_PLAN_PASSES) {
        if (best >= 0 && (a->size[best] >= full / 4 || !dense))
            a->mode = BESIDE, last = best;
        else if (total > 1 && (!dense || (p->n * item <= SHORT_BYTES && !in_registers(p)))) {
            a->mode = PACKED, last = 0;
            for (int64_t d = 1; d < a->nd; d++)
                if (a->size[d] > a->size[last]) last = d;
        }
    }
    int64_t size = a->size[last], x = a->x[last], y = a->y[last], end = a->nd - 1; /* lanes' dim last */
    a->size[last] = a->size[end], a->x[last] = a->x[end], a->y[last] = a->y[end];
    a->size[end] = size, a->x[end] = x, a->y[end] = y;
    a->lanes = a->mode != LINES ? full : p->kind == RL_PLAN_PASSES ? p->lines : 1;
    if (a->mode == LINES && a->kind == RL_FOURIER_C2C && in_registers(p)) a->lanes *= MANY; /* nothing waits in memory */
    if (a->lanes > size) a->lanes = size;
    a->blocks = (size + a->lanes - 1) / a->lanes;
    int64_t n = total / size * a->blocks;
    double each = ns_of((double)(p->n * a->lanes), p->n, item) * (p->kind == RL_PLAN_CHIRP ? 6 : 1);
    if (p->kind != RL_PLAN_PASSES && n < 2 * rl_num_threads() && !a->j->dry)
        axis_blocks(a, 0, n); /* a long line is work for all threads by itself */
    else
        parallel(a->j, axis_blocks, a, n, each + 50);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

typedef struct {
    job *j;
    const rl_fourier_call *c;
    int is_axis[RL_FOURIER_DIMS];
} whole;

/* Along axis k, of the dims of which `fixed` has none. */
static void along(const whole *w, int64_t k, int kind, const char *in, char *out, const int64_t *in_step,
                  const int64_t *out_step, int within, double scale) {
    const rl_fourier_call *c = w->c;
    axis a = {w->j, c->plan[k], kind, c->item, c->trig, c->size[c->axis[k]], 0, in, out, in_step[c->axis[k]],
              out_step[c->axis[k]], 0, {0}, {0}, {0}, 0, 0, 0, c->inverse ? -1.0 : 1.0, scale};
    if (kind == RL_FOURIER_C2R) a.sign = -a.sign;
    if (kind != RL_FOURIER_C2C) a.real_n = c->real_size;
    for (int64_t d = 0; d < c->nd; d++) {
        if (d == c->axis[k] || c->size[d] == 1 || (within && !w->is_axis[d])) continue;
        int64_t e = a.nd - 1;
        if (e >= 0 && a.x[e] == c->size[d] * in_step[d] && a.y[e] == c->size[d] * out_step[d]) {
            a.size[e] *= c->size[d], a.x[e] = in_step[d], a.y[e] = out_step[d];
            continue;
        }
        a.size[a.nd] = c->size[d], a.x[a.nd] = in_step[d], a.y[a.nd] = out_step[d];
        a.nd++;
    }
    run_axis(&a);
}

static void all_axes(const whole *w, const char *in, char *out, int within) {
    const rl_fourier_call *c = w->c;
    int64_t last = c->n_axes - 1;
    if (c->kind != RL_FOURIER_C2R) {
        for (int64_t k = last; k >= 0 && !failed(w->j); k--)
            along(w, k, k == last || c->kind == RL_FOURIER_TRIG ? (int)c->kind : RL_FOURIER_C2C, k == last ? in : out,
                  out, k == last ? c->in_step : c->out_step, c->out_step, within, k ? 1.0 : c->scale);
        return;
    }
    int64_t step[RL_FOURIER_DIMS], bytes = 2 * c->item;
    char *between = NULL;
    if (last) {
        for (int64_t d = c->nd - 1; d >= 0; d--) {
            step[d] = bytes;
            if (!within || w->is_axis[d]) bytes *= c->size[d];
        }
        between = rl_alloc((size_t)bytes);
        if (!between) {
            fail(w->j, RL_NO_MEMORY);
            return;
        }
        for (int64_t k = last - 1; k >= 0 && !failed(w->j); k--)
            along(w, k, RL_FOURIER_C2C, k == last - 1 ? in : between, between, k == last - 1 ? c->in_step : step, step,
                  within, 1.0);
    }
    if (!failed(w->j))
        along(w, last, RL_FOURIER_C2R, last ? between : in, out, last ? step : c->in_step, c->out_step, within,
              c->scale);
    if (last) rl_free(between, (size_t)bytes);
}

static int64_t blocks_of_axes(void *ctx, int64_t begin, int64_t end) {
    const whole *w = ctx;
    const rl_fourier_call *c = w->c;
    for (int64_t k = begin; k < end && !failed(w->j); k++) {
        const char *in = c->in;
        char *out = c->out;
        int64_t rest = k;
        for (int64_t d = c->nd - 1; d >= 0; d--) {
            if (w->is_axis[d]) continue;
            in += rest % c->size[d] * c->in_step[d], out += rest % c->size[d] * c->out_step[d];
            rest /= c->size[d];
        }
        all_axes(w, in, out, 1);
    }
    return 0;
}

static void transform(job *j, const rl_fourier_call *c) {
    whole w = {j, c, {0}};
    int64_t inner = 1, outer = 1;
    for (int64_t k = 0; k < c->n_axes; k++) w.is_axis[c->axis[k]] = 1;
    for (int64_t d = 0; d < c->nd; d++) *(w.is_axis[d] ? &inner : &outer) *= c->size[d];
    /* Several axes: block by block, so that what one axis leaves is in the cache when the next one reads it. */
    if (c->n_axes > 1 && outer > 1 && inner >= BLOCK_LEAST && inner <= BLOCK_MOST)
        parallel(j, blocks_of_axes, &w, outer, ns_of((double)inner, inner, c->item));
    else
        all_axes(&w, c->in, c->out, 0);
}

int64_t rl_fourier(const rl_fourier_call *call) {
    job dry = {1, 0}, wet = {0, 0};
    transform(&dry, call);
    if (atomic_load(&dry.error)) return atomic_load(&dry.error);
    transform(&wet, call);
    return atomic_load(&wet.error);
}
