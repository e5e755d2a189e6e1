/* Family of lapack_orthogonal.c: orthogonal factorizations, and least squares by them. */

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

enum { CAT(SMALL_QR, DTYPE) = 2100 }; /* up to so many elements the library's blocks cost more than they save */

static void NAME(factor_qr)(const task *t, int64_t m, int64_t n, T *w, T *tau, T *work) {
    int64_t info = 0;
    if (m * n <= CAT(SMALL_QR, DTYPE))
        NAME(small_geqrf)(m, n, w, m, tau);
    else
        ((NAME(geqrf_fn))t->fn[0])(&m, &n, w, &m, tau, work, &t->lwork, &info);
}

static int64_t NAME(qr_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *q = &t->call->args[1], *r = &t->call->args[2];
    int64_t m = t->m, n = t->n, columns = q->size[1], k = smaller(m, n), info = 0;
    T *tau = NAME(at)(piece(&work, k * (int64_t)sizeof(T)));
    T *w = NAME(at)(piece(&work, m * larger(n, columns) * (int64_t)sizeof(T)));
    NAME(load)(a, p[0], w, m);
    if (k) NAME(factor_qr)(t, m, n, w, tau, NAME(at)(work));
    if (p[2])
        for (int64_t i = 0; i < r->size[0]; i++)
            for (int64_t j = 0; j < n; j++)
                NAME(at)(p[2])[i * r->stride[0] + j * r->stride[1]] = i <= j ? w[i + j * m] : 0;
    if (!p[1] || m == 0) return 0;
    if (m * columns <= CAT(SMALL_QR, DTYPE) || k == 0)
        NAME(small_orgqr)(m, columns, k, w, m, tau);
    else
        ((NAME(orgqr_fn))t->fn[1])(&m, &columns, &k, w, &m, tau, NAME(at)(work), &t->lwork, &info);
    NAME(store)(w, m, q, p[1]);
    return 0;
}

static int NAME(qr_sizes)(task *t, int64_t columns) {
    int64_t m = t->m = t->call->args[0].size[0], n = t->n = t->call->args[0].size[1], k = smaller(m, n);
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
    t->bytes = rl_room(((wide)m * larger(n, columns) + k + t->lwork) * (int64_t)sizeof(T) + 192);
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
    NAME(factor_qr)(t, m, n, w, tau, NAME(at)(work));
    NAME(store)(w, m, packed, p[1]);
    NAME(copy)(k, 1, tau, 1, k, NAME(at)(p[2]), out->stride[0], 1);
    return 0;
}

int NAME(rl_geqrf_plan)(task *t) {
    t->one = NAME(geqrf_one);
    return NAME(qr_sizes)(t, 0);
}

/* ---- least squares ----------------------------------------------------------------------------------------------- */

#if IS_COMPLEX
#define RWORK(x) x,
#define RWORK_ARG R *,
#else
#define RWORK(x)
#define RWORK_ARG
#endif
typedef void (*NAME(gels_fn))(const char *, const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *,
                              T *, const int64_t *, T *, const int64_t *, int64_t *, size_t);
typedef void (*NAME(gelsy_fn))(const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, T *,
                               const int64_t *, int64_t *, const R *, int64_t *, T *, const int64_t *,
                               RWORK_ARG int64_t *);
typedef void (*NAME(gelss_fn))(const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, T *,
                               const int64_t *, R *, const R *, int64_t *, T *, const int64_t *, RWORK_ARG int64_t *);
typedef void (*NAME(gelsd_fn))(const int64_t *, const int64_t *, const int64_t *, T *, const int64_t *, T *,
                               const int64_t *, R *, const R *, int64_t *, T *, const int64_t *, RWORK_ARG int64_t *,
                               int64_t *);

/* Run the driver; if lwork is -1, it only asks for the size of the workspace. */
static int64_t NAME(run_driver)(const task *t, T *a, T *b, R *s, int64_t *jpvt, R rcond, int64_t *rank, T *work,
                                int64_t lwork, R *rwork, int64_t *iwork) {
    int64_t m = t->m, n = t->n, k = t->k, lda = larger(m, 1), ldb = larger(larger(m, n), 1), info = 0;
    (void)rwork;
    switch (t->call->flags) {
    case RL_GELS:
        ((NAME(gels_fn))t->fn[0])("N", &m, &n, &k, a, &lda, b, &ldb, work, &lwork, &info, 1);
        *rank = smaller(m, n);
        break;
    case RL_GELSD:
        ((NAME(gelsd_fn))t->fn[0])(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, &lwork, RWORK(rwork) iwork,
                                   &info);
        break;
    case RL_GELSS:
        ((NAME(gelss_fn))t->fn[0])(&m, &n, &k, a, &lda, b, &ldb, s, &rcond, rank, work, &lwork, RWORK(rwork) &info);
        break;
    default:
        ((NAME(gelsy_fn))t->fn[0])(&m, &n, &k, a, &lda, b, &ldb, jpvt, &rcond, rank, work, &lwork, RWORK(rwork) &info);
    }
    return info;
}

static int64_t NAME(lstsq_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *b = &t->call->args[1], *x = &t->call->args[3], *s = &t->call->args[5];
    int64_t m = t->m, n = t->n, k = t->k, least = smaller(m, n), most = larger(m, n), rank = 0, info = 0;
    T *wa = NAME(at)(piece(&work, m * n * (int64_t)sizeof(T))),
      *wb = NAME(at)(piece(&work, most * k * (int64_t)sizeof(T)));
    T *w = NAME(at)(piece(&work, t->lwork * (int64_t)sizeof(T)));
    R *ws = (R *)(void *)piece(&work, least * (int64_t)sizeof(R)),
      *rwork = (R *)(void *)piece(&work, t->lrwork * (int64_t)sizeof(R));
    int64_t *jpvt = (int64_t *)(void *)piece(&work, n * 8), *iwork = (int64_t *)(void *)piece(&work, t->liwork * 8);
    if (least && k) {
        NAME(load)(a, p[0], wa, m);
        NAME(load)(b, p[1], wb, most);
        for (int64_t c = 0; c < k; c++)
            for (int64_t i = m; i < most; i++) wb[i + c * most] = 0;
        memset(jpvt, 0, (size_t)n * 8);
        if (!NAME(all_finite)(wa, m, n, m)) return RL_NOT_FINITE;
        info = NAME(run_driver)(t, wa, wb, ws, jpvt, (R) * (double *)(void *)p[2], &rank, w, t->lwork, rwork, iwork);
    } else {
        memset(wb, 0, (size_t)(most * k) * sizeof(T));
        memset(ws, 0, (size_t)least * sizeof(R));
    }
    if (p[3]) NAME(store)(wb, most, x, p[3]);
    if (p[4]) *(int64_t *)(void *)p[4] = rank;
    if (p[5]) NAME(store_real)(ws, s, p[5]);
    return info;
}

int NAME(rl_lstsq_plan)(task *t) {
    static const int drivers[4] = {FN_GELSY, FN_GELS, FN_GELSD, FN_GELSS};
    int64_t m = t->m = t->call->args[0].size[0], n = t->n = t->call->args[0].size[1],
            k = t->k = t->call->args[1].size[1];
    int64_t least = smaller(m, n), rank = 0, liwork = 1, jpvt = 0;
    T size = 1, a = 0;
    R s = 0, lrwork = 1;
    if (!(t->fn[0] = rl_lapack_function(drivers[t->call->flags], DTYPE))) return 1;
    t->one = NAME(lstsq_one);
    if (least && k) NAME(run_driver)(t, &a, &a, &s, &jpvt, 0, &rank, &size, -1, &lrwork, &liwork);
    t->lwork = NAME(answer)(size);
    t->liwork = liwork;
    t->lrwork = larger((int64_t)((double)lrwork * (1 + 1e-6)) + 1, larger(2 * n, 5 * least));
    t->bytes = rl_room(((wide)m * n + (wide)larger(m, n) * k + t->lwork) * (int64_t)sizeof(T) +
                       (least + t->lrwork) * (int64_t)sizeof(R) + (n + liwork) * 8 + 512);
    t->cost = (double)m * (double)n * (double)(least + k) + 2000;
    return 0;
}

#undef RWORK
#undef RWORK_ARG
