/* Blocks of lines along one axis, read from memory and written back. */
#include "fourier_parts.h"

#define LOOPS(T, S)                                                                                                   \
    /* n numbers of strided lines -> planes; conj: the second half of a line is the mirror image of the first */      \
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
    /* the same for one contiguous line of pairs, to contiguous planes */                                              \
    CLONES static void mirror_##S(const T *x, int64_t n, int64_t size, double sign_, T *re, T *im) {                   \
        T sign = (T)sign_;                                                                                            \
        for (int64_t i = 0; i < n; i++) re[i] = x[2 * i], im[i] = x[2 * i + 1] * sign;                                \
        for (int64_t i = n; i < size; i++) re[i] = re[size - i], im[i] = -im[size - i];                               \
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

static void post(const axis *a, rows z, rows x, int64_t lanes, int along, const rl_fourier_plan *p) {
    int64_t h = p->n / 2, item = a->item, full = a->kind == RL_FOURIER_R2F;
    int64_t slots[17] = {(int64_t)z.re, (int64_t)z.im, (int64_t)x.re, (int64_t)x.im,
                         (int64_t)p->table, (int64_t)(p->table + (h / 2 + 1) * item), h / 2, z.step, x.step, h, lanes,
                         bits_of(a->scale / 2), bits_of(a->sign * a->scale / 2), along ? lanes : 1, z.line, x.line,
                         x.ask};
    int number = number_of(item, POST, x.form, x.form, along ? ONE_A_LANE : ONE_FOR_ALL, full);
    rl_fourier_run(a->j, number | (x.ask ? ASK : 0), slots);
    if (!a->j->dry) BOTH(item, post_ends, z, x, h, lanes, a->scale);
}

static void pre(const axis *a, rows x, rows z, int64_t lanes, int along, const rl_fourier_plan *p) {
    int64_t h = p->n / 2, item = a->item;
    int64_t slots[17] = {(int64_t)z.re, (int64_t)z.im, (int64_t)x.re, (int64_t)x.im,
                         (int64_t)p->table, (int64_t)(p->table + (h / 2 + 1) * item), h / 2, z.step, x.step, h, lanes,
                         bits_of(1), bits_of(a->sign), along ? lanes : 1, z.line, x.line, x.ask};
    int number = number_of(item, PRE, x.form, x.form, along ? ONE_A_LANE : ONE_FOR_ALL, 0);
    rl_fourier_run(a->j, number | (x.ask ? ASK : 0), slots);
    if (!a->j->dry) BOTH(item, pre_ends, x, z, h, lanes);
}

static void collect(const axis *a, int form, const char *in, int64_t step, int64_t line, int64_t n, int64_t size,
                    int64_t lanes, double sign, rows x) {
    int64_t item = a->item;
    if (a->j->dry) return;
    if (form == PAIRS && step == 2 * item && x.step == item)
        for (int64_t l = 0; l < lanes; l++)
            BOTH(item, mirror, T_(in + l * line), n, size, sign, T_(x.re + l * x.line), T_(x.im + l * x.line));
    else
        BOTH(item, gather, form, in, step, line, n, size, lanes, sign, T_(x.re), T_(x.im), x.step / item,
             x.line / item);
}

static void distribute(const axis *a, rows x, int form, char *out, int64_t step, int64_t line, int64_t n,
                       int64_t lanes) {
    int64_t item = a->item;
    if (a->j->dry) return;
    if (form == REALS && step == item && x.step == item)
        for (int64_t l = 0; l < lanes; l++) memcpy(out + l * line, x.re + l * x.line, (size_t)(n * item));
    else
        BOTH(item, scatter, form, T_(x.re), T_(x.im), x.step / item, x.line / item, n, lanes, out, step, line);
}

rows rl_fourier_fetch(const axis *a, int form, const char *in, int64_t step, int64_t line, int64_t n, int64_t lanes,
                      room *r) {
    int64_t item = a->item, unit = unit_of(form, item);
    if (a->mode == LINES && step == unit) return in_a_piece(a, in, unit, line, form, lanes);
    rows x = planes_of(a, r, n, lanes);
    if (a->mode != LINES && step == unit && lanes > 1) {
        int64_t offsets[LANE_BYTES];
        for (int64_t l = 0; l < lanes; l++) offsets[l] = l * line;
        x.form = form == REALS ? REALS : PLANES;
        rl_fourier_turn(a->j, item, (rows){(char *)in, (char *)in, 0, 0, form, 0, 0}, offsets, lanes, n, x, NULL);
    } else
        collect(a, form, in, step, line, n, n, lanes, 1, x);
    x.form = form == REALS ? REALS : PLANES;
    return x;
}

/* The memory to which pairs may be written: that of the lines, or planes that `deliver` copies there. */
static rows place(const axis *a, char *out, int64_t step, int64_t line, int64_t n, int64_t lanes, room *r) {
    if (a->mode == LINES && step == 2 * a->item) return in_a_piece(a, out, step, line, PAIRS, lanes);
    return planes_of(a, r, n, lanes);
}

void rl_fourier_deliver(const axis *a, rows x, int form, char *out, int64_t step, int64_t line, int64_t n,
                        int64_t lanes) {
    int64_t item = a->item;
    if (x.re == out) return;
    if (a->mode != LINES && step == unit_of(form, item) && lanes > 1) { /* columns of lanes to rows */
        int64_t offsets[SHORT];
        if (n > 1 && n % 8 == 1) { /* half a spectrum: for one number a whole square would take longer */
            rows last = x;
            n--, last.re += n * x.step, last.im += n * x.step;
            distribute(a, last, form, out + n * step, step, line, 1, lanes);
        }
        for (int64_t first = 0; first < n; first += SHORT) {
            int64_t here = n - first < SHORT ? n - first : SHORT;
            for (int64_t i = 0; i < here; i++) offsets[i] = (first + i) * x.step;
            rows y = {out + first * step, out, line, 0, form, 0, 0};
            x.form = form == REALS ? REALS : PLANES;
            rl_fourier_turn(a->j, item, x, offsets, here, lanes, y, NULL);
        }
    } else
        distribute(a, x, form, out, step, line, n, lanes);
}

static void lines(const axis *a, const rl_fourier_plan *p, rows x, rows y, int64_t lanes, factors f, room r) {
    if (a->mode == LINES)
        rl_fourier_any_lines(a->j, p, x, y, lanes, f, r);
    else
        rl_fourier_side_by_side(a->j, p, x, y, lanes, f, r);
}

/* Real numbers as pairs: those at even positions are one plane, those at odd positions the other. */
static rows beside_halves(const char *p, int64_t step, int64_t item) {
    return (rows){(char *)p, (char *)p + step, 2 * step, item, PLANES, 0, 0};
}

void rl_fourier_block_complex(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out,
                              int64_t lanes, room r) {
    int form = a->kind == RL_FOURIER_C2C ? PAIRS : REALS;
    const rl_fourier_plan *p = a->kind == RL_FOURIER_C2C ? a->p : a->p->a;
    factors f = {a->sign, a->scale, a->sign * a->scale};
    if (a->mode == BESIDE) {
        rows x = beside(a, in, a->in_step, form), y = beside(a, out, a->out_step, PAIRS);
        rl_fourier_side_by_side(a->j, p, x, y, lanes, f, r);
        return;
    }
    rows x = rl_fourier_fetch(a, form, in, a->in_step, line_in, a->n, lanes, &r);
    rows y = place(a, out, a->out_step, line_out, a->n, lanes, &r);
    lines(a, p, x, y, lanes, f, r);
    rl_fourier_deliver(a, y, PAIRS, out, a->out_step, line_out, a->n, lanes);
}

void rl_fourier_block_forward(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out,
                              int64_t lanes, room r) {
    int64_t item = a->item, h = a->real_n / 2, n = a->n;
    const rl_fourier_plan *p = a->p;
    factors plain = {1, 1, 1};
    rows x, y;
    if (p->kind == RL_PLAN_ODD) {
        if (a->kind == RL_FOURIER_R2F) {
            rl_fourier_block_complex(a, in, out, line_in, line_out, lanes, r);
            return;
        }
        factors f = {1, a->scale, a->sign * a->scale};
        y = planes_of(a, &r, a->real_n, lanes);
        x = a->mode == BESIDE ? beside(a, in, a->in_step, REALS)
                              : rl_fourier_fetch(a, REALS, in, a->in_step, line_in, a->real_n, lanes, &r);
        int whole = a->mode == LINES && a->out_step == 2 * item; /* half of a contiguous input is a contiguous output */
        if (whole) y = (rows){y.re, y.re, 2 * item, 2 * item * a->real_n, PAIRS, 0, 0};
        lines(a, p->a, x, y, lanes, f, r);
        if (!whole)
            rl_fourier_deliver(a, y, PAIRS, out, a->out_step, line_out, n, lanes);
        else if (!a->j->dry)
            for (int64_t l = 0; l < lanes; l++)
                memcpy(out + l * line_out, y.re + l * y.line, (size_t)(2 * item * n));
        return;
    }
    if (a->mode == LINES && a->kind == RL_FOURIER_R2C && a->in_step == item && a->out_step == 2 * item &&
        in_registers(p->a)) {
        factors f = {1, a->scale, a->sign * a->scale};
        x = in_a_piece(a, in, 2 * item, line_in, PAIRS, lanes);
        y = in_a_piece(a, out, 2 * item, line_out, PAIRS, lanes);
        if (a->wanted) y.ask = a->wanted - out, y.ask_line = a->wanted_line - line_out;
        rl_fourier_short_lines(a->j, p->a, p, x, y, lanes, f);
        return;
    }
    rows z = planes_of(a, &r, h, lanes);
    if (a->mode == BESIDE) {
        rl_fourier_side_by_side(a->j, p->a, beside_halves(in, a->in_step, item), z, lanes, plain, r);
        post(a, z, beside(a, out, a->out_step, PAIRS), lanes, 0, p);
        return;
    }
    if (a->in_step == item)
        x = rl_fourier_fetch(a, PAIRS, in, 2 * item, line_in, h, lanes, &r);
    else {
        x = planes_of(a, &r, h, lanes);
        rows odd = {x.im, x.im, x.step, x.line, PLANES, 0, 0};
        collect(a, REALS, in, 2 * a->in_step, line_in, h, h, lanes, 1, x);
        collect(a, REALS, in + a->in_step, 2 * a->in_step, line_in, h, h, lanes, 1, odd);
    }
    lines(a, p->a, x, z, lanes, plain, r);
    y = place(a, out, a->out_step, line_out, n, lanes, &r);
    post(a, z, y, lanes, a->mode == LINES, p);
    rl_fourier_deliver(a, y, PAIRS, out, a->out_step, line_out, n, lanes);
}

void rl_fourier_block_back(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out,
                           int64_t lanes, room r) {
    int64_t item = a->item, h = a->real_n / 2;
    const rl_fourier_plan *p = a->p;
    rows x, y;
    if (p->kind == RL_PLAN_ODD) {
        x = planes_of(a, &r, a->real_n, lanes), y = planes_of(a, &r, a->real_n, lanes);
        collect(a, PAIRS, in, a->in_step, line_in, a->n, a->real_n, lanes, a->sign, x);
        if (!a->j->dry) /* the imaginary part that symmetry excludes */
            for (int64_t l = 0; l < lanes; l++) memset(x.im + l * x.line, 0, (size_t)item);
        lines(a, p->a, x, y, lanes, (factors){-1, a->scale, a->scale}, r);
        distribute(a, y, REALS, out, a->out_step, line_out, a->real_n, lanes);
        return;
    }
    factors f = {1, a->scale, -a->scale};
    rows z = planes_of(a, &r, h, lanes);
    if (a->mode == BESIDE) {
        pre(a, beside(a, in, a->in_step, PAIRS), z, lanes, 0, p);
        rl_fourier_side_by_side(a->j, p->a, z, beside_halves(out, a->out_step, item), lanes, f, r);
        return;
    }
    x = rl_fourier_fetch(a, PAIRS, in, a->in_step, line_in, a->n, lanes, &r);
    pre(a, x, z, lanes, a->mode == LINES, p);
    if (a->out_step == item) {
        y = place(a, out, 2 * item, line_out, h, lanes, &r);
        lines(a, p->a, z, y, lanes, f, r);
        rl_fourier_deliver(a, y, PAIRS, out, 2 * item, line_out, h, lanes);
        return;
    }
    y = planes_of(a, &r, h, lanes);
    lines(a, p->a, z, y, lanes, f, r);
    rows odd = {y.im, y.im, y.step, y.line, PLANES, 0, 0};
    distribute(a, y, REALS, out, 2 * a->out_step, line_out, h, lanes);
    distribute(a, odd, REALS, out + a->out_step, 2 * a->out_step, line_out, h, lanes);
}
