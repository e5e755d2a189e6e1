/* Family of lapack_orthogonal.c: orthogonal factorizations. */

typedef void (*NAME(geqrf_fn))(const int64_t *, const int64_t *, T *, const int64_t *, T *, T *, const int64_t *,
                               int64_t *);
typedef void (*NAME(orgqr_fn))(const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, const T *, T *,
                               const int64_t *, int64_t *);

T NAME(rl_reflector)(int64_t n, T *x) {
    R alpha = REAL(x[0]), tail = 0, scale = 0;
    for (int64_t i = 0; i < n; i++) scale = (R)fmax((double)scale, (double)NAME(pivot_size)(x[i]));
    if (scale == 0 || !isfinite((double)scale)) scale = 1;
    for (int64_t i = 1; i < n; i++) tail += REAL((x[i] / scale) * CONJ(x[i] / scale));
#if IS_COMPLEX
    R imaginary = ((R *)&x[0])[1] / scale;
#else
    R imaginary = 0;
#endif
    if (tail == 0 && imaginary == 0) return 0;
    R a = alpha / scale, beta = (R)sqrt((double)(a * a + imaginary * imaginary + tail)) * scale;
    if (alpha >= 0) beta = -beta;
    T tau = (beta - x[0]) / beta, f = x[0] - beta;
    for (int64_t i = 1; i < n; i++) x[i] = NAME(quotient)(x[i], f);
    x[0] = beta;
    return tau;
}

void NAME(rl_reflect)(int64_t m, int64_t n, const T *v, T tau, T *c, int64_t ld) {
    if (tau == 0) return;
    for (int64_t j = 0; j < n; j++) {
        T *x = c + j * ld, sum = (x[0] + NAME(inner)(m - 1, v + 1, x + 1)) * tau;
        x[0] -= sum;
        for (int64_t i = 1; i < m; i++) x[i] -= sum * v[i];
    }
}

static void NAME(small_geqrf)(int64_t m, int64_t n, T *a, int64_t ld, T *tau) {
    for (int64_t j = 0; j < smaller(m, n); j++) {
        T *v = a + j + j * ld;
        tau[j] = NAME(rl_reflector)(m - j, v);
        NAME(rl_reflect)(m - j, n - j - 1, v, CONJ(tau[j]), v + ld, ld);
    }
}

/* Replace k reflectors by the first n columns of their product. */
static void NAME(small_orgqr)(int64_t m, int64_t n, int64_t k, T *a, int64_t ld, const T *tau) {
    for (int64_t j = k; j < n; j++)
        for (int64_t i = 0; i < m; i++) a[i + j * ld] = i == j;
    for (int64_t j = k - 1; j >= 0; j--) {
        T *v = a + j + j * ld;
        NAME(rl_reflect)(m - j, n - j - 1, v, tau[j], v + ld, ld);
        for (int64_t i = 1; i < m - j; i++) v[i] *= -tau[j];
        v[0] = 1 - tau[j];
        for (int64_t i = 0; i < j; i++) a[i + j * ld] = 0;
    }
}

enum { CAT(SMALL_QR, DTYPE) = 2100 }; /* up to so many elements blocks cost more than they save */

/* 0 or RL_NO_MEMORY. */
static int NAME(factor_qr)(const task *t, int64_t m, int64_t n, T *w, T *tau, T *work) {
    if (m * n <= CAT(SMALL_QR, DTYPE)) {
        NAME(small_geqrf)(m, n, w, m, tau);
        return 0;
    }
#if IS_COMPLEX
    int64_t info = 0;
    ((NAME(geqrf_fn))t->fn[0])(&m, &n, w, &m, tau, work, &t->lwork, &info);
    return 0;
#else
    (void)t;
    return NAME(rl_factor_columns)(m, n, n, w, m, tau, work);
#endif
}

static int64_t NAME(qr_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *q = &t->call->args[1], *r = &t->call->args[2];
    int64_t m = t->m, n = t->n, columns = q->size[1], k = smaller(m, n);
    T *tau = NAME(at)(piece(&work, k * (int64_t)sizeof(T)));
    T *w = NAME(at)(piece(&work, m * larger(n, columns) * (int64_t)sizeof(T)));
    NAME(load)(a, p[0], w, m);
    if (k && NAME(factor_qr)(t, m, n, w, tau, NAME(at)(work))) return RL_NO_MEMORY;
    if (p[2])
        for (int64_t i = 0; i < r->size[0]; i++)
            for (int64_t j = 0; j < n; j++)
                NAME(at)(p[2])[i * r->stride[0] + j * r->stride[1]] = i <= j ? w[i + j * m] : 0;
    if (!p[1] || m == 0) return 0;
    if (m * columns <= CAT(SMALL_QR, DTYPE) || k == 0) {
        NAME(small_orgqr)(m, columns, k, w, m, tau);
        NAME(store)(w, m, q, p[1]);
        return 0;
    }
#if IS_COMPLEX
    int64_t info = 0;
    ((NAME(orgqr_fn))t->fn[1])(&m, &columns, &k, w, &m, tau, NAME(at)(work), &t->lwork, &info);
    NAME(store)(w, m, q, p[1]);
    return 0;
#else
    T *z = NAME(at)(piece(&work, m * columns * (int64_t)sizeof(T)));
    memset(z, 0, (size_t)(m * columns) * sizeof(T));
    for (int64_t j = 0; j < columns; j++) z[j * (m + 1)] = 1;
    int rc = NAME(rl_multiply_reflected)(1, m, k, w, m, tau, columns, z, m, NAME(at)(work));
    NAME(store)(z, m, q, p[1]);
    return rc;
#endif
}

static int NAME(qr_sizes)(task *t, int64_t columns) {
    int64_t m = t->m = t->call->args[0].size[0], n = t->n = t->call->args[0].size[1], k = smaller(m, n);
    wide work = rl_reflectors_room(m, larger(n, columns)) + (wide)m * columns;
#if IS_COMPLEX
    int64_t query = -1, info = 0, ld = larger(m, 1);
    T size = 0, a = 0;
    if (!(t->fn[0] = rl_lapack_function(FN_GEQRF, DTYPE)) || !(t->fn[1] = rl_lapack_function(FN_ORGQR, DTYPE)))
        return 1;
    t->lwork = 1;
    if (k && m * larger(n, columns) > CAT(SMALL_QR, DTYPE)) {
        ((NAME(geqrf_fn))t->fn[0])(&m, &n, &a, &ld, &a, &size, &query, &info);
        t->lwork = NAME(answer)(size);
        if (columns >= k) {
            ((NAME(orgqr_fn))t->fn[1])(&m, &columns, &k, &a, &ld, &a, &size, &query, &info);
            t->lwork = larger(t->lwork, NAME(answer)(size));
        }
    }
    work = t->lwork;
#endif
    t->ours = !IS_COMPLEX;
    if (m * larger(n, columns) <= CAT(SMALL_QR, DTYPE)) work = 0;
    t->bytes = rl_room(((wide)m * larger(n, columns) + k + work) * (int64_t)sizeof(T) + 256);
    t->cost = 0.6 * (double)m * (double)larger(n, columns) * (double)k + 100;
    return 0;
}

int NAME(rl_qr_plan)(task *t) {
    t->one = NAME(qr_one);
    return NAME(qr_sizes)(t, t->call->args[1].size[1]);
}

static int64_t NAME(geqrf_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *packed = &t->call->args[1], *out = &t->call->args[2];
    int64_t m = t->m, n = t->n, k = smaller(m, n);
    T *tau = NAME(at)(piece(&work, k * (int64_t)sizeof(T))), *w = NAME(at)(piece(&work, m * n * (int64_t)sizeof(T)));
    if (!k) return 0;
    NAME(load)(a, p[0], w, m);
    if (NAME(factor_qr)(t, m, n, w, tau, NAME(at)(work))) return RL_NO_MEMORY;
    NAME(store)(w, m, packed, p[1]);
    NAME(copy)(k, 1, tau, 1, k, NAME(at)(p[2]), out->stride[0], 1);
    return 0;
}

int NAME(rl_geqrf_plan)(task *t) {
    t->one = NAME(geqrf_one);
    return NAME(qr_sizes)(t, 0);
}
