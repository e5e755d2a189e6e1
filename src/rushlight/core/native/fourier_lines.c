#include "fourier_parts.h"

enum { CODELETS = 2 * ASK };

typedef int64_t (*codelet)(const int64_t *slots);
static _Atomic(codelet) codelets[CODELETS];

void rl_fourier_codelet(int64_t number, const void *code) {
    codelet f;
    memcpy(&f, &code, sizeof f);
    if (number > 0 && number < CODELETS) atomic_store(&codelets[number], f);
}

void rl_fourier_run(job *j, int number, const int64_t *slots) {
    codelet f = atomic_load_explicit(&codelets[number], memory_order_acquire);
    if (!f)
        fail(j, number);
    else if (!j->dry)
        f(slots);
}

/* ---- passes ----------------------------------------------------------------------------------------------------- */

static void pass(job *j, const rl_fourier_plan *p, int64_t a, int64_t m, rows x, rows y, int64_t count,
                 int64_t in_group, int64_t out_group, int64_t in_step, int64_t out_step, int64_t lanes, int twiddles,
                 factors f) {
    int64_t r = p->radix[a];
    const char *w = p->w[a];
    int64_t slots[20] = {(int64_t)x.re,
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
                         y.line,
                         x.ask,
                         y.ask};
    rl_fourier_run(j, number_of(p->item, PASS, x.form, y.form, twiddles, r) | (x.ask || y.ask ? ASK : 0), slots);
}

/* Lines side by side (Stockham's order: input[q + s (p + m i)] becomes output[q + s (r p + i)], s being the product of
 * the radices before, and q one range with the lanes). `r`: two planes of n each, twice. */
void rl_fourier_side_by_side(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lanes, factors f, room r) {
    int64_t item = p->item, left = p->n, s = 1;
    if (p->passes == 1) {
        if (x.form == PLANES) x.form = SIGNED;
        if (x.ask) x.ask = lanes * unit_of(x.form, item); /* there is no next step, but a next block */
        if (y.ask) y.ask = lanes * unit_of(y.form, item);
        pass(j, p, 0, 1, x, y, 1, 0, 0, x.step, y.step, lanes, NONE, f);
        return;
    }
    rows to = planes(&r, p->n, lanes, item), other = {0, 0, 0, 0, 0, 0, 0};
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

void rl_fourier_turn(job *j, int64_t item, rows x, const int64_t *offsets, int64_t n_rows, int64_t n_columns, rows y,
                     const rows *w) {
    int64_t slots[13] = {(int64_t)x.re, (int64_t)x.im, (int64_t)y.re, (int64_t)y.im, (int64_t)offsets, n_rows,
                         n_columns,     y.step};
    if (w) {
        slots[8] = (int64_t)w[0].re, slots[9] = (int64_t)w[0].im, slots[10] = w[0].step;
        slots[11] = (int64_t)w[1].re, slots[12] = (int64_t)w[1].im;
    }
    rl_fourier_run(j, number_of(item, TURN, x.form, y.form, w ? ONE_A_LANE : NONE, 0), slots);
}

void rl_fourier_short_lines(job *j, const rl_fourier_plan *p, const rl_fourier_plan *halves, rows x, rows y,
                            int64_t lines, factors f) {
    const char *w = p->w[0];
    int64_t planes = (p->radix[0] - 1) * p->radix[1] * p->item;
    int64_t ahead = AHEAD / (2 * p->n * p->item) + (p->n * p->item > AHEAD / 2); /* lines; all are done in one go */
    int64_t slots[17] = {(int64_t)x.re,
                         (int64_t)x.im,
                         (int64_t)y.re,
                         (int64_t)y.im,
                         (int64_t)w,
                         (int64_t)(w + planes),
                         lines,
                         x.line,
                         y.line,
                         bits_of(f.sign),
                         bits_of(f.re),
                         bits_of(f.im)};
    if (halves) {
        slots[10] = bits_of(f.re / 2), slots[11] = bits_of(f.im / 2);
        slots[12] = (int64_t)halves->table, slots[13] = (int64_t)(halves->table + (p->n / 2 + 1) * p->item);
    }
    if (x.form == PLANES) x.form = SIGNED;
    if (x.ask || y.ask) {
        slots[14] = ahead * x.line, slots[15] = y.ask_line ? y.ask : ahead * y.line, slots[16] = y.ask_line;
    }
    int64_t radices = log_of(p->radix[0]) | log_of(p->radix[1]) << 3;
    int plain = !halves && f.sign == 1 && f.re == 1 && f.im == 1; /* there are no twiddles */
    int number = number_of(p->item, halves ? REAL : LINE, x.form, y.form, plain, radices);
    rl_fourier_run(j, number | (x.ask || y.ask ? ASK : 0), slots);
}

/* Lines one after the other, at most p->lines. The first passes are in place, with lanes along the line; then rows
 * become columns, and the lanes of the other passes are the results of the first (docs/design/fourier.md).
 */
static void in_turn(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r) {
    int64_t item = p->item, n = p->n, left = n, blocks = 1, s = 1;
    if (in_registers(p)) {
        rl_fourier_short_lines(j, p, NULL, x, y, lines, f);
        return;
    }
    if (!p->before) {
        for (int64_t l = 0; l < lines; l++) {
            rl_fourier_side_by_side(j, p, x, y, 1, f, r);
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
    rl_fourier_turn(j, item, first, p->turn, lanes, left, second, NULL);
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
    /* (x, in its form) times (c + i s), into planes */                                                               \
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
    /* planes times (c + i s), then parts times p and q, in the target's form */                                      \
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
    /* the number at index 0: with the sum of the others it is the result there; it is added to all other results */  \
    static void first_##S(rows x, double sign, const T *sum, const T *sum_im, T *u, T *u_im, double p, double q,       \
                          rows y) {                                                                                   \
        T *to = (T *)y.re, a = *(T *)x.re, b = 0;                                                                     \
        if (x.form != REALS) b = (x.form == PAIRS ? ((T *)x.re)[1] : *(T *)x.im) * (T)sign;                           \
        *u += a, *u_im += b;                                                                                          \
        *to = (a + *sum) * (T)p, *(y.form == PAIRS ? to + 1 : (T *)y.im) = (b + *sum_im) * (T)q;                      \
    }
LOOPS(float, f)
LOOPS(double, d)

/* Copy numbers of so many bytes at the given places, in that order. Meanwhile as many bytes from `next` and `next_to`
 * on are prefetched, for reading and for writing (NULL: none). */
#define PERMUTED(NUMBER, S)                                                                                            \
    static void permuted_##S(const char *x, const int64_t *at, int64_t n, char *y, const char *next, char *next_to) {  \
        const NUMBER *from = (const NUMBER *)x;                                                                       \
        NUMBER *to = (NUMBER *)y;                                                                                     \
        int64_t line = LANE_BYTES / (int64_t)sizeof(NUMBER);                                                          \
        for (int64_t i = 0; i < n; i += line) {                                                                       \
            if (next) __builtin_prefetch(next + i * (int64_t)sizeof(NUMBER), 0);                                      \
            if (next_to) __builtin_prefetch(next_to + i * (int64_t)sizeof(NUMBER), 1);                                \
            for (int64_t k = i, end = i + line < n ? i + line : n; k < end; k++) to[k] = from[at[k]];                 \
        }                                                                                                             \
    }
typedef struct {
    double re, im;
} pair_of_doubles;
PERMUTED(float, f)
PERMUTED(double, d)
PERMUTED(pair_of_doubles, p)

static void permuted(int64_t bytes, const char *x, const int64_t *at, int64_t n, char *y, const char *next,
                     char *next_to) {
    (bytes == 4 ? permuted_f : bytes == 8 ? permuted_d : permuted_p)(x, at, n, y, next, next_to);
}

/* ---- lines of any plan ------------------------------------------------------------------------------------------ */

typedef struct {
    job *j;
    const rl_fourier_plan *p;
    rows x, y, between;
    factors f;
    int64_t lanes;
} square;

static rows moved(rows x, int64_t lanes, int64_t item) {
    x.re += lanes * unit_of(x.form, item);
    if (x.im) x.im += lanes * item;
    return x;
}

/* A table of twiddles: `numbers` real parts, then imaginary ones. */
static rows plane_pair(const char *table, int64_t numbers, int64_t columns, int64_t item) {
    return (rows){(char *)table, (char *)table + numbers * item, columns * item, item, PLANES, 0, 0};
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
        rl_fourier_side_by_side(s->j, a, x, z, here, (factors){s->f.sign, 1, 1}, left);
        y.re += first * y.step, y.im += first * y.step;
        rows twiddles[] = {plane_pair(p->table, n1 * lanes, lanes, item),
                           plane_pair(p->table2 + k * n1 * item, blocks * n1, 1, item)};
        rl_fourier_turn(s->j, item, z, offsets, n1, here, y, twiddles);
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
        rl_fourier_side_by_side(s->j, b, moved(s->between, first, item), moved(s->y, first, item), here,
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
    square s = {j, p, x, y, {base, base + plane, n1 * item, item, PLANES, 0, 0}, f, LANE_BYTES / item};
    s.x.step = n2 * unit_of(x.form, item), s.y.step = n1 * unit_of(y.form, item);
    s.x.ask = j->ask && x.form == PAIRS ? s.x.step : 0, s.y.ask = j->ask && y.form == PAIRS ? s.y.step : 0;
    parallel(j, square_columns, &s, (n2 + s.lanes - 1) / s.lanes, ns_of((double)(n1 * s.lanes), n1, item));
    parallel(j, square_rows, &s, (n1 + s.lanes - 1) / s.lanes, ns_of((double)(n2 * s.lanes), n2, item));
    rl_free(base, (size_t)(2 * plane));
}

int64_t rl_fourier_any_lines_bytes(const rl_fourier_plan *p) {
    if (p->kind == RL_PLAN_PASSES) return 4 * plane_bytes(p->n * p->lines, p->item);
    if (p->kind == RL_PLAN_SQUARE) return 0;
    return 4 * plane_bytes(p->a->n, p->item) + rl_fourier_any_lines_bytes(p->a);
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
    rl_fourier_any_lines(j, p->a, u, v, 1, (factors){1, 1, 1}, r);
    if (!j->dry) BOTH(item, times, PLANES, T_(v.re), T_(v.im), 1.0, T_(d), T_(e), m, T_(u.re), T_(u.im));
    rl_fourier_any_lines(j, p->a, u, v, 1, (factors){-1, 1, -1}, r);
    if (!j->dry) BOTH(item, back, T_(v.re), T_(v.im), T_(c), T_(s), n, f.re, f.im, y.form, T_(y.re), T_(y.im));
}

/* Rader, "Discrete Fourier transforms when the number of data samples is prime": in the order of the powers of a root
 * of n the transform of all numbers but the first is a convolution, done by transforms of n - 1. */
static void powers_line(job *j, const rl_fourier_plan *p, rows x, rows y, factors f, room r) {
    int64_t item = p->item, m = p->n - 1;
    rows u = planes(&r, m, 1, item), v = planes(&r, m, 1, item), taken = u, placed = v;
    const char *d = p->table, *e = d + m * item;
    int64_t in_unit = unit_of(x.form, item), out_unit = unit_of(y.form, item);
    taken.form = x.form, taken.step = in_unit, placed.form = y.form, placed.step = out_unit;
    if (!j->dry) {
        permuted(in_unit, x.re, p->turn, m, taken.re, NULL, NULL);
        if (x.form == PLANES) permuted(item, x.im, p->turn, m, taken.im, NULL, NULL);
    }
    rl_fourier_any_lines(j, p->a, taken, v, 1, (factors){f.sign, 1, 1}, r);
    if (!j->dry) {
        BOTH(item, times, PLANES, T_(v.re), T_(v.im), 1.0, T_(d), T_(e), m, T_(u.re), T_(u.im));
        BOTH(item, first, x, f.sign, T_(v.re), T_(v.im), T_(u.re), T_(u.im), f.re, f.im, y);
    }
    rl_fourier_any_lines(j, p->a, u, placed, 1, (factors){-1, f.re, -f.im}, r);
    if (!j->dry) {
        const int64_t *back = p->turn + m;
        permuted(out_unit, placed.re, back, m, y.re + out_unit, x.ask ? x.re + x.ask : NULL,
                 y.ask ? y.re + y.ask : NULL);
        if (y.form == PLANES) permuted(item, placed.im, back, m, y.im + item, NULL, NULL);
    }
}

void rl_fourier_any_lines(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r) {
    if (p->kind == RL_PLAN_PASSES)
        in_turn(j, p, x, y, lines, f, r);
    else if (p->kind == RL_PLAN_SQUARE)
        long_line(j, p, x, y, f);
    else if (p->kind == RL_PLAN_POWERS)
        powers_line(j, p, x, y, f, r);
    else
        chirp_line(j, p, x, y, f, r);
}
