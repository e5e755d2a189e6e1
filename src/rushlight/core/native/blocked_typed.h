/* Included by blocked.c once a dtype T. */

#define LANES ((int64_t)(64 / sizeof(T)))

/* The reciprocal of d, or 0 if products with it are worse than quotients, because it overflows or is denormal. */
static T NAME(reciprocal)(T d) {
    T r = 1 / d;
    return isnormal(d) && isnormal(r) ? r : 0;
}

/* ---- a panel ----------------------------------------------------------------------------------------------------- */

/* The index of the first of the largest |x[i]|, begin <= i < m, as LAPACK's i?amax finds it: a NaN counts as larger
 * than the others only if it comes first. Behind row m lies a vector of numbers that are zero or NaN. */
ALWAYS_INLINE int64_t NAME(largest)(int64_t begin, int64_t m, const T *x) {
    T lane[LANES], most = ABS(x[begin]);
    if (most != most) return begin;
    for (int64_t l = 0; l < LANES; l++) lane[l] = most;
    for (int64_t i = begin; i < m; i += LANES)
        for (int64_t l = 0; l < LANES; l++) lane[l] = ABS(x[i + l]) > lane[l] ? ABS(x[i + l]) : lane[l];
    for (int64_t l = 0; l < LANES; l++) most = lane[l] > most ? lane[l] : most;
    for (int64_t i = begin;; i += LANES) {
        int found = 0;
        for (int64_t l = 0; l < LANES; l++) found |= ABS(x[i + l]) == most;
        if (found)
            for (int64_t l = 0; l < LANES; l++)
                if (ABS(x[i + l]) == most) return i + l;
    }
}

/* x[i] -= the sum of w columns of l times their factors u, in order, for begin <= i < m, and up to a vector behind. */
ALWAYS_INLINE void NAME(take_off)(int64_t begin, int64_t m, int64_t w, const T *restrict l, int64_t ld, const T *u,
                                  T *restrict x) {
    T f[FEW];
    for (int64_t c = 0; c < w; c++) f[c] = u[c];
    for (int64_t i = begin; i < m; i += LANES)
        for (int64_t k = 0; k < LANES; k++) {
            T sum = x[i + k];
            for (int64_t c = 0; c < w; c++) sum -= l[c * ld + i + k] * f[c];
            x[i + k] = sum;
        }
}

/* Factor w <= EDGE columns of m >= w rows, by columns ld apart; pivots from 0. Returns the first column without a
 * pivot, from 1, or 0. */
ALWAYS_INLINE int64_t NAME(panel_body)(int64_t m, int64_t w, T *a, int64_t ld, int32_t *pivots) {
    int64_t info = 0;
    for (int64_t b = 0; b < w; b += FEW) {
        int64_t e = smaller(b + FEW, w);
        for (int64_t j = b; j < e; j++) {
            T *x = a + j * ld;
            int64_t best = NAME(largest)(j, m, x);
            pivots[j] = (int32_t)best;
            if (best != j)
                for (int64_t c = 0; c < w; c++) {
                    T y = a[c * ld + j];
                    a[c * ld + j] = a[c * ld + best], a[c * ld + best] = y;
                }
            T d = x[j];
            T r = NAME(reciprocal)(d);
            if (r != 0)
                for (int64_t i = j + 1; i < m; i += LANES)
                    for (int64_t k = 0; k < LANES; k++) x[i + k] *= r;
            else if (d != 0)
                for (int64_t i = j + 1; i < m; i += LANES)
                    for (int64_t k = 0; k < LANES; k++) x[i + k] /= d;
            else if (!info)
                info = j + 1;
            for (int64_t c = j + 1; c < e; c++) NAME(take_off)(j + 1, m, 1, x, ld, a + c * ld + j, a + c * ld);
        }
        for (int64_t c = e; c < w; c++) {
            T *x = a + c * ld;
            for (int64_t i = b + 1; i < e; i++)
                for (int64_t l = b; l < i; l++) x[i] -= a[l * ld + i] * x[l];
            NAME(take_off)(e, m, FEW, a + b * ld, ld, x + b, x);
        }
    }
    return info;
}

WIDE static int64_t NAME(panel_512)(int64_t m, int64_t w, T *a, int64_t ld, int32_t *pivots) {
    return NAME(panel_body)(m, w, a, ld, pivots);
}
AVX2 static int64_t NAME(panel_256)(int64_t m, int64_t w, T *a, int64_t ld, int32_t *pivots) {
    return NAME(panel_body)(m, w, a, ld, pivots);
}
static int64_t NAME(panel_128)(int64_t m, int64_t w, T *a, int64_t ld, int32_t *pivots) {
    return NAME(panel_body)(m, w, a, ld, pivots);
}

/* ---- a small triangle -------------------------------------------------------------------------------------------- */

/* Solve rows in order: from row s, at x + s * ldx, subtract l[s * EDGE + r] times each earlier row r; d: the diagonal,
 * or its reciprocals if `reciprocal`. */
typedef struct {
    T l[EDGE * EDGE], d[EDGE];
    int64_t n, k, ldx;
    int unit, reciprocal;
    T *x;
} NAME(triangle);

/* LANES columns; n is EDGE, or less. */
ALWAYS_INLINE void NAME(strip_body)(const NAME(triangle) *t, int64_t n, T *x, int64_t ldx) {
    typedef T vector __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
    vector row[EDGE] = {0};
    if (n > EDGE) __builtin_unreachable();
#pragma GCC unroll 16
    for (int64_t s = 0; s < n; s++) row[s] = *(const vector *)(x + s * ldx);
#pragma GCC unroll 16
    for (int64_t s = 0; s < n; s++) {
        if (t->reciprocal)
            row[s] *= t->d[s];
        else if (!t->unit)
            row[s] /= t->d[s];
#pragma GCC unroll 16
        for (int64_t r = s + 1; r < n; r++) row[r] -= t->l[r * EDGE + s] * row[s];
    }
#pragma GCC unroll 16
    for (int64_t s = 0; s < n; s++) *(vector *)(x + s * ldx) = row[s];
}

ALWAYS_INLINE void NAME(strips_body)(const NAME(triangle) *t, int64_t begin, int64_t end) {
    for (int64_t j = begin * LANES; j < smaller(end * LANES, t->k); j += LANES) {
        T *x = t->x + j, edge[EDGE * LANES];
        int64_t ldx = t->ldx, width = smaller(LANES, t->k - j);
        if (width < LANES) {
            memset(edge, 0, sizeof edge);
            for (int64_t s = 0; s < t->n; s++) memcpy(edge + s * LANES, x + s * ldx, (size_t)width * sizeof(T));
            x = edge, ldx = LANES;
        }
        if (t->n == EDGE)
            NAME(strip_body)(t, EDGE, x, ldx);
        else
            NAME(strip_body)(t, t->n, x, ldx);
        if (width < LANES)
            for (int64_t s = 0; s < t->n; s++)
                memcpy(t->x + j + s * t->ldx, edge + s * LANES, (size_t)width * sizeof(T));
    }
}

WIDE static void NAME(strips_512)(const NAME(triangle) *t, int64_t begin, int64_t end) {
    NAME(strips_body)(t, begin, end);
}
AVX2 static void NAME(strips_256)(const NAME(triangle) *t, int64_t begin, int64_t end) {
    NAME(strips_body)(t, begin, end);
}
static void NAME(strips_128)(const NAME(triangle) *t, int64_t begin, int64_t end) {
    NAME(strips_body)(t, begin, end);
}

static int64_t NAME(strips)(void *context, int64_t begin, int64_t end) {
    int level = rl_byte_level();
    (level == 2 ? NAME(strips_512) : level == 1 ? NAME(strips_256) : NAME(strips_128))(context, begin, end);
    return 0;
}

static void NAME(solve_small)(int upper, int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                              int64_t ldx) {
    NAME(triangle) t = {.n = n, .k = k, .unit = unit, .x = upper ? x + (n - 1) * ldx : x, .ldx = upper ? -ldx : ldx};
    for (int64_t s = 0; s < n; s++) {
        const T *row = a + (upper ? n - 1 - s : s) * ars;
        for (int64_t r = 0; r < s; r++) t.l[s * EDGE + r] = row[(upper ? n - 1 - r : r) * acs];
        if (!unit) t.d[s] = row[(upper ? n - 1 - s : s) * acs];
    }
    t.reciprocal = !unit;
    for (int64_t s = 0; s < n && t.reciprocal; s++) t.reciprocal = NAME(reciprocal)(t.d[s]) != 0;
    for (int64_t s = 0; s < n && t.reciprocal; s++) t.d[s] = NAME(reciprocal)(t.d[s]);
    rl_work(NAME(strips), &t, ceil_div(k, LANES), 60);
}

/* ---- few right hand sides ---------------------------------------------------------------------------------------- */

/* Rows [s, s + BESIDE) of a triangle that is solved from its first row on: the rows before are taken off, then these
 * are solved in order. r: the diagonal, or its reciprocals. */
ALWAYS_INLINE void NAME(rows_body)(int unit, int reciprocal, int64_t s, const T *a, int64_t ars, int64_t acs,
                                   const T *r, T *x) {
    typedef T vector __attribute__((vector_size(64), may_alias));
    vector row[BESIDE], *all = (vector *)x;
    const T *own = a + s * ars;
#pragma GCC unroll 8
    for (int64_t i = 0; i < BESIDE; i++) row[i] = all[s + i];
    for (int64_t j = 0; j < s; j++) {
        vector known = all[j];
#pragma GCC unroll 8
        for (int64_t i = 0; i < BESIDE; i++) row[i] -= own[i * ars + j * acs] * known;
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < BESIDE; i++) {
        if (reciprocal)
            row[i] *= r[s + i];
        else if (!unit)
            row[i] /= r[s + i];
#pragma GCC unroll 8
        for (int64_t l = i + 1; l < BESIDE; l++) row[l] -= own[l * ars + (s + i) * acs] * row[i];
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < BESIDE; i++) all[s + i] = row[i];
}

/* Row s alone, by the same operations in the same order. */
ALWAYS_INLINE void NAME(row_body)(int unit, int reciprocal, int64_t s, const T *a, int64_t ars, int64_t acs, const T *r,
                                  T *x) {
    typedef T vector __attribute__((vector_size(64), may_alias));
    vector *all = (vector *)x, row = all[s];
    for (int64_t j = 0; j < s; j++) row -= a[s * ars + j * acs] * all[j];
    if (reciprocal)
        row *= r[s];
    else if (!unit)
        row /= r[s];
    all[s] = row;
}

/* A lower triangle of n <= TALL rows, k <= LANES right hand sides. */
ALWAYS_INLINE void NAME(few_body)(int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                                  int64_t ldx) {
    _Alignas(64) T rows[TALL * LANES], r[TALL];
    int reciprocal = !unit;
    for (int64_t i = 0; i < n && reciprocal; i++) {
        r[i] = NAME(reciprocal)(a[i * (ars + acs)]);
        reciprocal = r[i] != 0;
    }
    for (int64_t i = 0; i < n && !unit && !reciprocal; i++) r[i] = a[i * (ars + acs)];
    memset(rows, 0, (size_t)n * LANES * sizeof(T));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) rows[i * LANES + j] = x[i * ldx + j];
    int64_t s = 0;
    for (; s + BESIDE <= n; s += BESIDE) NAME(rows_body)(unit, reciprocal, s, a, ars, acs, r, rows);
    for (; s < n; s++) NAME(row_body)(unit, reciprocal, s, a, ars, acs, r, rows);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) x[i * ldx + j] = rows[i * LANES + j];
}

WIDE static void NAME(few_512)(int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                               int64_t ldx) {
    NAME(few_body)(unit, n, k, a, ars, acs, x, ldx);
}
AVX2 static void NAME(few_256)(int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                               int64_t ldx) {
    NAME(few_body)(unit, n, k, a, ars, acs, x, ldx);
}
static void NAME(few_128)(int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x, int64_t ldx) {
    NAME(few_body)(unit, n, k, a, ars, acs, x, ldx);
}

static void NAME(solve_few)(int upper, int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                            int64_t ldx) {
    if (upper) { /* a lower triangle from its last row on */
        a += (n - 1) * (ars + acs), ars = -ars, acs = -acs;
        x += (n - 1) * ldx, ldx = -ldx;
    }
    int level = rl_byte_level();
    (level == 2 ? NAME(few_512) : level == 1 ? NAME(few_256) : NAME(few_128))(unit, n, k, a, ars, acs, x, ldx);
}

/* ---- triangles and matrices by halves ---------------------------------------------------------------------------- */

ALWAYS_INLINE void NAME(negate_body)(int64_t m, int64_t n, const T *x, int64_t ldx, T *restrict to, int64_t ldt) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) to[i * ldt + j] = -x[i * ldx + j];
}

AVX2 static void NAME(negate_256)(int64_t m, int64_t n, const T *x, int64_t ldx, T *to, int64_t ldt) {
    NAME(negate_body)(m, n, x, ldx, to, ldt);
}
static void NAME(negate_128)(int64_t m, int64_t n, const T *x, int64_t ldx, T *to, int64_t ldt) {
    NAME(negate_body)(m, n, x, ldx, to, ldt);
}

int NAME(rl_product_of)(int add, int64_t m, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, const T *b,
                        int64_t ldb, T *c, int64_t ldc) {
    const int64_t item = sizeof(T);
    rl_product p = {.dtype = DTYPE, .add = add, .batch = 1, .m = m, .n = n, .k = k};
    p.a = (const char *)a, p.a_rs = ars * item, p.a_cs = acs * item;
    p.b = (const char *)b, p.b_rs = ldb * item, p.b_cs = item;
    p.c = (char *)c, p.c_rs = ldc * item, p.c_cs = item;
    /* Our kernels do a single row or column, too: their bits do not depend on the strides of a. */
    return rl_product_serves(DTYPE) ? rl_product_run(&p, 1) : rl_multiply(&p, 1);
}

/* c (m x n) -= a (m x k) x (k x n), as c += a times -x, which is put at `spare`. */
static int NAME(subtract)(int64_t m, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, const T *x,
                          int64_t ldx, T *c, int64_t ldc, T *spare) {
    const int64_t lds = rl_row_apart(n);
    (rl_byte_level() > 0 ? NAME(negate_256) : NAME(negate_128))(k, n, x, ldx, spare, lds);
    return NAME(rl_product_of)(1, m, n, k, a, ars, acs, spare, lds, c, ldc);
}

int NAME(rl_solve_blocks)(int upper, int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x,
                          int64_t ldx, T *spare) {
    if (n <= TALL && k <= LANES) {
        if (n > 0 && k > 0) NAME(solve_few)(upper, unit, n, k, a, ars, acs, x, ldx);
        return 0;
    }
    if (n <= EDGE) {
        if (n > 0 && k > 0) NAME(solve_small)(upper, unit, n, k, a, ars, acs, x, ldx);
        return 0;
    }
    int64_t h = half(n);
    const T *last = a + h * (ars + acs);
    int rc = upper ? NAME(rl_solve_blocks)(1, unit, n - h, k, last, ars, acs, x + h * ldx, ldx, spare)
                   : NAME(rl_solve_blocks)(0, unit, h, k, a, ars, acs, x, ldx, spare);
    if (rc) return rc;
    rc = upper ? NAME(subtract)(h, k, n - h, a + h * acs, ars, acs, x + h * ldx, ldx, x, ldx, spare)
               : NAME(subtract)(n - h, k, h, a + h * ars, ars, acs, x, ldx, x + h * ldx, ldx, spare);
    if (rc) return rc;
    return upper ? NAME(rl_solve_blocks)(1, unit, h, k, a, ars, acs, x, ldx, spare)
                 : NAME(rl_solve_blocks)(0, unit, n - h, k, last, ars, acs, x + h * ldx, ldx, spare);
}

/* Rows [first, first + n) of the inverse of a unit lower triangle; x has the earlier rows of the inverse, and from
 * there on those of the identity: it is zero right of its diagonal, where nothing is computed. */
static int NAME(invert_rows)(int64_t first, int64_t n, const T *a, int64_t ars, int64_t acs, T *x, int64_t ldx,
                             T *spare) {
    const T *own = a + first * (ars + acs);
    T *rows = x + first * ldx;
    if (n <= EDGE) {
        if (n > 0) NAME(solve_small)(0, 1, n, first + n, own, ars, acs, rows, ldx);
        return 0;
    }
    int64_t h = half(n);
    int rc = NAME(invert_rows)(first, h, a, ars, acs, x, ldx, spare);
    if (rc == 0)
        rc = NAME(subtract)(n - h, first + h, h, own + h * ars, ars, acs, rows, ldx, rows + h * ldx, ldx, spare);
    return rc ? rc : NAME(invert_rows)(first + h, n - h, a, ars, acs, x, ldx, spare);
}

typedef struct {
    T *x;
    const int32_t *to;
    int64_t n, ldx;
} NAME(columns);

/* Column j of each row goes to column to[j]. */
static int64_t NAME(exchange_columns)(void *context, int64_t begin, int64_t end) {
    const NAME(columns) *c = context;
    T *was = rl_alloc((size_t)c->n * sizeof(T));
    if (!was) return RL_NO_MEMORY;
    for (int64_t i = begin; i < end; i++) {
        T *x = c->x + i * c->ldx;
        memcpy(was, x, (size_t)c->n * sizeof(T));
        for (int64_t j = 0; j < c->n; j++) x[c->to[j]] = was[j];
    }
    rl_free(was, (size_t)c->n * sizeof(T));
    return 0;
}

int NAME(rl_invert_lu)(int64_t n, const T *a, int64_t ars, int64_t acs, const int32_t *pivots, int64_t ps, T *x,
                       int64_t ldx, T *spare) {
    for (int64_t i = 0; i < n; i++) {
        memset(x + i * ldx, 0, (size_t)n * sizeof(T));
        x[i * ldx + i] = 1;
    }
    int rc = NAME(invert_rows)(0, n, a, ars, acs, x, ldx, spare);
    if (rc == 0) rc = NAME(rl_solve_blocks)(1, 0, n, n, a, ars, acs, x, ldx, spare);
    int32_t *to = rc ? NULL : rl_alloc((size_t)n * sizeof *to);
    if (!to) return rc ? rc : RL_NO_MEMORY;
    for (int64_t j = 0; j < n; j++) to[j] = (int32_t)j;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = pivots[i * ps] - 1;
        int32_t was = to[i];
        to[i] = to[j], to[j] = was;
    }
    NAME(columns) c = {x, to, n, ldx};
    rc = (int)rl_work(NAME(exchange_columns), &c, n, 0.5 * (double)n);
    rl_free(to, (size_t)n * sizeof *to);
    return rc;
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t m, ld, info;
    T *a, *panel, *spare;
    int32_t *pivots; /* from 0 */
    int64_t from, to, begin, end; /* make exchanges [from, to) in columns [begin, end) */
} NAME(lu);

static int64_t NAME(exchange_chunks)(void *context, int64_t first, int64_t last) {
    const NAME(lu) *f = context;
    for (int64_t c = first; c < last; c++) {
        int64_t j = f->begin + c * CHUNK, n = smaller(CHUNK, f->end - j);
        for (int64_t i = f->from; i < f->to; i++) {
            if (f->pivots[i] == i) continue;
            T *restrict x = f->a + i * f->ld + j, *restrict y = f->a + f->pivots[i] * f->ld + j;
            for (int64_t l = 0; l < n; l++) {
                T z = x[l];
                x[l] = y[l], y[l] = z;
            }
        }
    }
    return 0;
}

static void NAME(exchange)(NAME(lu) *f, int64_t from, int64_t to, int64_t begin, int64_t end) {
    f->from = from, f->to = to, f->begin = begin, f->end = end;
    rl_work(NAME(exchange_chunks), f, ceil_div(end - begin, CHUNK), 20 * (double)(to - from));
}

static void NAME(factor_panel)(NAME(lu) *f, int64_t j, int64_t w) {
    int64_t m = f->m - j, apart = panel_apart(m), level = rl_byte_level();
    T *a = f->a + j * (f->ld + 1), *x = f->panel;
    int32_t *pivots = f->pivots + j;
    for (int64_t c = 0; c < w; c++) memset(x + c * apart + m, 0, (size_t)(apart - m) * sizeof(T));
    NAME(rl_turn)(m, w, a, f->ld, x, apart, 0);
    int64_t info = (level == 2   ? NAME(panel_512)
                    : level == 1 ? NAME(panel_256)
                                 : NAME(panel_128))(m, w, x, apart, pivots);
    NAME(rl_turn)(w, m, x, apart, a, f->ld, 0);
    if (info && !f->info) f->info = j + info;
    for (int64_t c = 0; c < w; c++) pivots[c] += (int32_t)j;
}

/* Columns [j, j + w), of rows from j on: the left half, its changes to the right one, the right half (S. Toledo,
 * "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1997). */
static int NAME(factor)(NAME(lu) *f, int64_t j, int64_t w) {
    if (w <= EDGE) {
        NAME(factor_panel)(f, j, w);
        return 0;
    }
    int64_t h = half(w), i = j + h, end = j + w;
    T *left = f->a + j * (f->ld + 1), *below = f->a + i * f->ld;
    int rc = NAME(factor)(f, j, h);
    if (rc) return rc;
    NAME(exchange)(f, j, i, i, end);
    rc = NAME(rl_solve_blocks)(0, 1, h, w - h, left, f->ld, 1, left + h, f->ld, f->spare);
    if (rc == 0)
        rc = NAME(subtract)(f->m - i, w - h, h, below + j, f->ld, 1, left + h, f->ld, below + i, f->ld, f->spare);
    if (rc == 0) rc = NAME(factor)(f, i, w - h);
    if (rc) return rc;
    NAME(exchange)(f, i, end, j, i);
    return 0;
}

int NAME(rl_lu)(int64_t m, int64_t n, T *a, int64_t ld, int32_t *pivots, T *spare, int64_t *info) {
    int64_t k = smaller(m, n);
    NAME(lu) f = {.m = m, .ld = ld, .a = a, .panel = spare, .spare = spare + EDGE * panel_apart(m), .pivots = pivots};
    int rc = k > 0 ? NAME(factor)(&f, 0, k) : 0;
    if (rc) return rc;
    if (n > k) {
        NAME(exchange)(&f, 0, k, k, n);
        rc = NAME(rl_solve_blocks)(0, 1, k, n - k, a, ld, 1, a + k, ld, f.spare);
    }
    for (int64_t i = 0; i < k; i++) pivots[i]++;
    *info = f.info;
    return rc;
}

#undef T
#undef NAME
#undef DTYPE
#undef ABS
#undef LANES
