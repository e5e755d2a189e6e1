/* Family of lapack_solve.c: triangular solves, LU. */

/* ---- triangular solves ------------------------------------------------------------------------------------------- */

/* x = op(a)^-1 x by substitution; any strides. */
ALWAYS_INLINE void NAME(substitute_body)(int upper, int unit, int conjugate, int64_t n, int64_t k, const T *a,
                                         int64_t ars, int64_t acs, T *x, int64_t xrs, int64_t xcs) {
    for (int64_t s = 0; s < n; s++) {
        int64_t i = upper ? n - 1 - s : s;
        T *xi = x + i * xrs, d = unit ? 1 : conjugate ? CONJ(a[i * ars + i * acs]) : a[i * ars + i * acs];
        if (k == 1) {
            T sum = xi[0];
            for (int64_t l = 0; l < s; l++) {
                int64_t j = upper ? n - 1 - l : l;
                sum -= (conjugate ? CONJ(a[i * ars + j * acs]) : a[i * ars + j * acs]) * x[j * xrs];
            }
            xi[0] = unit ? sum : NAME(quotient)(sum, d);
            continue;
        }
        for (int64_t l = 0; l < s; l++) {
            int64_t j = upper ? n - 1 - l : l;
            T f = conjugate ? CONJ(a[i * ars + j * acs]) : a[i * ars + j * acs];
            const T *xj = x + j * xrs;
            for (int64_t c = 0; c < k; c++) xi[c * xcs] -= f * xj[c * xcs];
        }
        if (!unit)
            for (int64_t c = 0; c < k; c++) xi[c * xcs] = NAME(quotient)(xi[c * xcs], d);
    }
}

static void NAME(substitute)(int upper, int unit, int conjugate, int64_t n, int64_t k, const T *a, int64_t ars,
                             int64_t acs, T *x, int64_t xrs, int64_t xcs) {
    /* The most frequent sizes, unrolled. */
#define CASE(N, K)                                                                                                    \
    if (n == N && k == K) {                                                                                           \
        if (upper)                                                                                                    \
            NAME(substitute_body)(1, unit, 0, N, K, a, N, 1, x, K, 1);                                                \
        else                                                                                                          \
            NAME(substitute_body)(0, unit, 0, N, K, a, N, 1, x, K, 1);                                                \
        return;                                                                                                       \
    }
    if (n <= 8 && !conjugate && acs == 1 && ars == n && (xcs == 1 || k == 1) && xrs == k) {
        CASE(2, 1) CASE(3, 1) CASE(4, 1) CASE(8, 1) CASE(2, 2) CASE(3, 3) CASE(4, 4) CASE(8, 8)
    }
#undef CASE
    NAME(substitute_body)(upper, unit, conjugate, n, k, a, ars, acs, x, xrs, xcs);
}

#if IS_COMPLEX
typedef void (*NAME(trsm_fn))(int, int, int, int, int, int64_t, int64_t, const void *, const T *, int64_t, T *,
                              int64_t);
#define ONE &one
#else
typedef void (*NAME(trsm_fn))(int, int, int, int, int, int64_t, int64_t, T, const T *, int64_t, T *, int64_t);
#define ONE one
#endif

void NAME(rl_solve_triangle)(void *trsm, int upper, int unit, int adjoint, int64_t n, int64_t k, const T *a,
                             int64_t ars, int64_t acs, T *x, int64_t xrs, int64_t xcs, T *spare) {
    if (n * n * k <= 1024 || (k == 1 && n <= 64)) {
        if (adjoint)
            NAME(substitute)(!upper, unit, IS_COMPLEX, n, k, a, acs, ars, x, xrs, xcs);
        else
            NAME(substitute)(upper, unit, 0, n, k, a, ars, acs, x, xrs, xcs);
        return;
    }
    /* Always row-major, so that the bits do not depend on the strides of the result. */
    T one = 1;
    const int order = ROW_MAJOR;
    int64_t ldx = NAME(leading)(order, n, k, xrs, xcs);
    T *b = x;
    if (!ldx) {
        b = spare + n * n, ldx = k;
        NAME(copy)(n, k, x, xrs, xcs, b, k, 1);
    }
    int64_t lda = NAME(leading)(order, n, n, ars, acs);
    int transpose = adjoint ? 113 : 111;
    if (!lda) {
        lda = NAME(leading)(COL_MAJOR, n, n, ars, acs);
        if (lda && !(IS_COMPLEX && adjoint)) { /* with rows and columns exchanged, it is the transpose */
            transpose = adjoint ? 111 : 112;
            upper = !upper;
        } else {
            lda = n;
            NAME(copy)(n, n, a, ars, acs, spare, n, 1);
            a = spare;
        }
    }
    ((NAME(trsm_fn))trsm)(order, 141, upper ? 121 : 122, transpose, unit ? 132 : 131, n, k, ONE, a, lda, b, ldx);
    if (b != x) NAME(copy)(n, k, b, k, 1, x, xrs, xcs);
}

/* Whether substitution alone is the quickest method. */
static int NAME(is_quick)(int64_t n, int64_t k) { return n * n * k <= 1024 || (k == 1 && n <= 64); }

/* The distance of rows of k elements in a workspace. */
static int64_t NAME(apart)(int64_t k) { return IS_COMPLEX ? k : rl_row_apart(k); }

/* Elements of a workspace for solutions (n x k): a copy of the triangle, a copy of the solution, and the workspace of a
 * solution by blocks. */
static wide NAME(solve_room)(int64_t n, int64_t k) {
    return (wide)n * n + (wide)n * NAME(apart)(k) + rl_solve_spare(n, k);
}

/* The memory in which a solution that is not row-major is computed, if it is large or its code is unrolled: the part of
 * `spare` to which solve_triangle would copy it each time. */
static T *NAME(by_rows)(int64_t n, int64_t k, T *x, int64_t *rs, int64_t *cs, T *spare) {
    int unrolled = n <= 8 && n == k; /* row-major only, see `substitute` */
    if ((NAME(is_quick)(n, k) && !unrolled) || NAME(leading)(ROW_MAJOR, n, k, *rs, *cs)) return x;
    *rs = unrolled ? k : NAME(apart)(k), *cs = 1;
    return spare + n * n;
}

/* x = a^-1 x, or a^-H x, where x is the memory that by_rows returns; 0 or RL_NO_MEMORY. */
static int NAME(solve_in_place)(const task *t, int upper, int unit, int adjoint, int64_t n, int64_t k, const T *a,
                                int64_t ars, int64_t acs, T *x, int64_t xrs, int64_t xcs, T *spare) {
#if !IS_COMPLEX
    if (!NAME(is_quick)(n, k)) {
        if (!NAME(leading)(ROW_MAJOR, n, n, ars, acs) && !NAME(leading)(COL_MAJOR, n, n, ars, acs)) {
            NAME(copy)(n, n, a, ars, acs, spare, n, 1);
            a = spare, ars = n, acs = 1;
        }
        T *rest = spare + n * n + n * NAME(apart)(k);
        return adjoint ? NAME(rl_solve_blocks)(!upper, unit, n, k, a, acs, ars, x, xrs, rest)
                       : NAME(rl_solve_blocks)(upper, unit, n, k, a, ars, acs, x, xrs, rest);
    }
#endif
    NAME(rl_solve_triangle)(t->fn[0], upper, unit, adjoint, n, k, a, ars, acs, x, xrs, xcs, spare);
    return 0;
}

static int64_t NAME(triangular_solve_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *b = &t->call->args[1], *x = &t->call->args[2];
    T *spare = NAME(at)(work);
    int64_t rs = x->stride[0], cs = x->stride[1];
    T *to = NAME(by_rows)(t->n, t->k, NAME(at)(p[2]), &rs, &cs, spare);
    NAME(copy)(t->n, t->k, NAME(at)(p[1]), b->stride[0], b->stride[1], to, rs, cs);
    int rc = NAME(solve_in_place)(t, t->call->flags & RL_UPPER, t->call->flags & RL_UNIT, 0, t->n, t->k,
                                  NAME(at)(p[0]), a->stride[0], a->stride[1], to, rs, cs, spare);
    if (rc) return rc;
    if (to != NAME(at)(p[2])) NAME(copy)(t->n, t->k, to, rs, cs, NAME(at)(p[2]), x->stride[0], x->stride[1]);
    return 0;
}

static int NAME(triangular_sizes)(task *t, int64_t n, int64_t k) {
    t->n = n, t->k = k;
    t->bytes = rl_room(NAME(solve_room)(n, k) * (int64_t)sizeof(T) + 64);
    t->cost = 0.2 * (double)n * (double)n * (double)k;
    t->ours = !IS_COMPLEX;
    if (IS_COMPLEX) t->fn[0] = rl_lapack_function(FN_TRSM, DTYPE);
    return IS_COMPLEX && !t->fn[0];
}

int NAME(rl_triangular_solve_plan)(task *t) {
    const rl_matrix *b = &t->call->args[1];
    t->one = NAME(triangular_solve_one);
    return NAME(triangular_sizes)(t, b->size[0], b->size[1]);
}

/* ---- LU ---------------------------------------------------------------------------------------------------------- */

/* For a row-major matrix. */
ALWAYS_INLINE int64_t NAME(small_lu_body)(int64_t m, int64_t n, T *a, int64_t rs, int32_t *pivots, int64_t ps) {
    int64_t info = 0;
    for (int64_t j = 0; j < smaller(m, n); j++) {
        int64_t best = j;
        R most = NAME(pivot_size)(a[j * rs + j]);
        for (int64_t i = j + 1; i < m; i++) {
            R size = NAME(pivot_size)(a[i * rs + j]);
            if (size > most) best = i, most = size;
        }
        pivots[j * ps] = (int32_t)best + 1;
        if (best != j)
            for (int64_t l = 0; l < n; l++) {
                T x = a[j * rs + l];
                a[j * rs + l] = a[best * rs + l], a[best * rs + l] = x;
            }
        T d = a[j * rs + j];
        if (d == 0) {
            if (!info) info = j + 1;
            continue;
        }
        const T *row = a + j * rs;
        for (int64_t i = j + 1; i < m; i++) {
            T *ai = a + i * rs, f = NAME(quotient)(ai[j], d);
            ai[j] = f;
            for (int64_t l = j + 1; l < n; l++) ai[l] -= f * row[l];
        }
    }
    return info;
}

static int64_t NAME(small_lu)(int64_t m, int64_t n, T *a, int64_t rs, int32_t *pivots, int64_t ps) {
    if (m == n && rs == n && ps == 1) switch (n) { /* the most frequent sizes, unrolled */
        case 2: return NAME(small_lu_body)(2, 2, a, 2, pivots, 1);
        case 3: return NAME(small_lu_body)(3, 3, a, 3, pivots, 1);
        case 4: return NAME(small_lu_body)(4, 4, a, 4, pivots, 1);
        case 8: return NAME(small_lu_body)(8, 8, a, 8, pivots, 1);
        }
    return NAME(small_lu_body)(m, n, a, rs, pivots, ps);
}

static int64_t NAME(lu_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *lu = &t->call->args[1], *piv = &t->call->args[2];
    int64_t m = t->m, n = t->n, info = 0;
    int32_t *pivots = (int32_t *)(void *)p[2];
    if (m * n <= 256) {
        T local[256], *to = NAME(at)(p[1]);
        int64_t rs = lu->stride[0], cs = lu->stride[1];
        T *w = cs == 1 ? to : local;
        int64_t wrs = cs == 1 ? rs : n;
        NAME(copy)(m, n, NAME(at)(p[0]), a->stride[0], a->stride[1], w, wrs, 1);
        info = NAME(small_lu)(m, n, w, wrs, pivots, piv->stride[0]);
        if (w != to) NAME(copy)(m, n, w, wrs, 1, to, rs, cs);
        return info;
    }
#if IS_COMPLEX
    int64_t *ipiv = (int64_t *)(void *)piece(&work, smaller(m, n) * 8);
    int64_t ld = NAME(leading)(COL_MAJOR, m, n, lu->stride[0], lu->stride[1]);
    T *w = ld ? NAME(at)(p[1]) : NAME(at)(work);
    if (!ld) ld = m;
    NAME(load)(a, p[0], w, ld);
    ((NAME(getrf_fn))t->fn[0])(&m, &n, w, &ld, ipiv, &info);
    if (w == NAME(at)(work)) NAME(store)(w, ld, lu, p[1]);
    for (int64_t i = 0; i < smaller(m, n); i++) pivots[i * piv->stride[0]] = (int32_t)ipiv[i];
    return info;
#else
    int32_t *own = (int32_t *)(void *)piece(&work, smaller(m, n) * 4);
    T *spare = NAME(at)(piece(&work, (int64_t)rl_lu_spare(m, n) * (int64_t)sizeof(T)));
    int64_t ld = NAME(leading)(ROW_MAJOR, m, n, lu->stride[0], lu->stride[1]);
    T *w = ld ? NAME(at)(p[1]) : NAME(at)(work);
    if (!ld) ld = rl_row_apart(n);
    NAME(copy)(m, n, NAME(at)(p[0]), a->stride[0], a->stride[1], w, ld, 1);
    int rc = NAME(rl_lu)(m, n, w, ld, own, spare, &info);
    if (rc) return rc;
    if (w == NAME(at)(work) && lu->stride[0] == 1)
        NAME(rl_turn)(m, n, w, ld, NAME(at)(p[1]), lu->stride[1], 1);
    else if (w == NAME(at)(work))
        NAME(copy)(m, n, w, ld, 1, NAME(at)(p[1]), lu->stride[0], lu->stride[1]);
    for (int64_t i = 0; i < smaller(m, n); i++) pivots[i * piv->stride[0]] = own[i];
    return info;
#endif
}

int NAME(rl_lu_plan)(task *t) {
    int64_t m = t->m = t->call->args[0].size[0], n = t->n = t->call->args[0].size[1];
    t->one = NAME(lu_one);
    t->cost = 0.2 * (double)m * (double)n * (double)smaller(m, n) + 50;
#if IS_COMPLEX
    wide elements = (wide)m * n;
    t->fn[0] = rl_lapack_function(FN_GETRF, DTYPE);
    if (!t->fn[0]) return 1;
#else
    wide elements = (wide)m * rl_row_apart(n) + rl_lu_spare(m, n);
    t->ours = 1;
#endif
    t->bytes = rl_room((wide)m * n > 256 ? elements * (int64_t)sizeof(T) + (wide)smaller(m, n) * 8 + 192 : 0);
    return 0;
}

void NAME(rl_swap_rows)(T *x, int64_t i, int64_t j, int64_t rs, int64_t cs, int64_t k) {
    if (i == j) return;
    T *restrict a = x + i * rs, *restrict b = x + j * rs;
    if (cs == 1) {
        for (int64_t c = 0; c < k; c++) {
            T y = a[c];
            a[c] = b[c], b[c] = y;
        }
        return;
    }
    for (int64_t c = 0; c < k; c++) {
        T y = a[c * cs];
        a[c * cs] = b[c * cs], b[c * cs] = y;
    }
}

#if !IS_COMPLEX
/* Whether a matrix is the identity; a few elements usually tell that it is not. */
static int NAME(is_identity)(int64_t n, const T *a, int64_t rs, int64_t cs) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (a[i * rs + j * cs] != (i == j)) return 0;
    return 1;
}
#endif

static int64_t NAME(lu_solve_one)(const task *t, char *work, char **p) {
    const rl_matrix *lu = &t->call->args[0], *piv = &t->call->args[1], *b = &t->call->args[2], *x = &t->call->args[3];
    const int32_t *pivots = (const int32_t *)(void *)p[1];
    int64_t n = t->n, k = t->k, rs = x->stride[0], cs = x->stride[1], ps = piv->stride[0];
    int adjoint = (t->call->flags & RL_ADJOINT) != 0;
    T *a = NAME(at)(p[0]), *to = NAME(at)(p[3]), *spare = NAME(at)(work);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = pivots[i * ps];
        if (j < 1 || j > n) return i + 1;
    }
    int64_t ars = lu->stride[0], acs = lu->stride[1];
    to = NAME(by_rows)(n, k, to, &rs, &cs, spare);
#if !IS_COMPLEX
    const T *given = NAME(at)(p[2]);
    if (n == k && !adjoint && !NAME(is_quick)(n, k) && NAME(is_identity)(n, given, b->stride[0], b->stride[1])) {
        if (!NAME(leading)(ROW_MAJOR, n, n, ars, acs) && !NAME(leading)(COL_MAJOR, n, n, ars, acs)) {
            NAME(copy)(n, n, a, ars, acs, spare, n, 1);
            a = spare, ars = n, acs = 1;
        }
        int rc = NAME(rl_invert_lu)(n, a, ars, acs, pivots, ps, to, rs, spare + n * n + n * NAME(apart)(n));
        if (rc) return rc;
        if (to != NAME(at)(p[3])) NAME(copy)(n, k, to, rs, cs, NAME(at)(p[3]), x->stride[0], x->stride[1]);
        return 0;
    }
#endif
    NAME(copy)(n, k, NAME(at)(p[2]), b->stride[0], b->stride[1], to, rs, cs);
    if (n <= 8 && n == k && acs != 1 && !adjoint) {
        NAME(copy)(n, n, a, ars, acs, spare, n, 1);
        a = spare, ars = n, acs = 1;
    }
    if (!adjoint)
        for (int64_t i = 0; i < n; i++) NAME(rl_swap_rows)(to, i, pivots[i * ps] - 1, rs, cs, k);
    for (int step = 0; step < 2; step++) {
        int upper = adjoint ? step == 0 : step == 1;
        int rc = NAME(solve_in_place)(t, upper, !upper, adjoint, n, k, a, ars, acs, to, rs, cs, spare);
        if (rc) return rc;
    }
    if (adjoint)
        for (int64_t i = n - 1; i >= 0; i--) NAME(rl_swap_rows)(to, i, pivots[i * ps] - 1, rs, cs, k);
    if (to != NAME(at)(p[3])) NAME(copy)(n, k, to, rs, cs, NAME(at)(p[3]), x->stride[0], x->stride[1]);
    return 0;
}

int NAME(rl_lu_solve_plan)(task *t) {
    const rl_matrix *b = &t->call->args[2];
    t->one = NAME(lu_solve_one);
    int missing = NAME(triangular_sizes)(t, b->size[0], b->size[1]);
    t->cost *= 2;
    return missing;
}

#undef ONE
