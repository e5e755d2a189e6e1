/* Family of lapack_spectral.c: singular values, eigenvalues of general matrices. */

#include "lapack_moderate.h"
#include "lapack_small_svd.h"

#if IS_COMPLEX
typedef T NAME(complex_type);
typedef void (*NAME(gesdd_fn))(const char *, const int64_t *, const int64_t *, T *, const int64_t *, R *, T *,
                               const int64_t *, T *, const int64_t *, T *, const int64_t *, R *, int64_t *, int64_t *,
                               size_t);
typedef void (*NAME(geev_fn))(const char *, const char *, const int64_t *, T *, const int64_t *, T *, T *,
                              const int64_t *, T *, const int64_t *, T *, const int64_t *, R *, int64_t *, size_t,
                              size_t);
#else
typedef R _Complex NAME(complex_type);
typedef void (*NAME(gesdd_fn))(const char *, const int64_t *, const int64_t *, T *, const int64_t *, R *, T *,
                               const int64_t *, T *, const int64_t *, T *, const int64_t *, int64_t *, int64_t *,
                               size_t);
typedef void (*NAME(geev_fn))(const char *, const char *, const int64_t *, T *, const int64_t *, R *, R *, T *,
                              const int64_t *, T *, const int64_t *, T *, const int64_t *, int64_t *, size_t, size_t);
#endif

/* ---- singular values --------------------------------------------------------------------------------------------- */

static int64_t NAME(run_gesdd)(const task *t, const char *job, int64_t m, int64_t n, T *a, R *s, T *u, T *vt,
                               int64_t ldvt, T *work, int64_t lwork, R *rwork, int64_t *iwork) {
    int64_t lda = larger(m, 1), info = 0;
#if IS_COMPLEX
    ((NAME(gesdd_fn))t->fn[0])(job, &m, &n, a, &lda, s, u, &lda, vt, &ldvt, work, &lwork, rwork, iwork, &info, 1);
#else
    (void)rwork;
    ((NAME(gesdd_fn))t->fn[0])(job, &m, &n, a, &lda, s, u, &lda, vt, &ldvt, work, &lwork, iwork, &info, 1);
#endif
    return info;
}

/* 'N' none, 'S' the first min(m, n) vectors, 'A' all of them. */
static const char *NAME(svd_job)(const task *t) {
    const rl_matrix *args = t->call->args;
    if (!args[1].data && !args[3].data) return "N";
    return args[1].size[1] > smaller(t->m, t->n) || args[3].size[0] > smaller(t->m, t->n) ? "A" : "S";
}

/* The transpose is decomposed: A^T = (Vh)^T S U^T. A row-major matrix is its column-major transpose, so nothing needs
 * to be transposed on the way in or out. */
static int64_t NAME(svd_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *u = &t->call->args[1], *s = &t->call->args[2], *vh = &t->call->args[3];
    int64_t m = t->m, n = t->n, k = smaller(m, n), ku = u->size[1], kv = vh->size[0], info = 0;
    const char *job = NAME(svd_job)(t);
    T *w = NAME(at)(piece(&work, m * n * (int64_t)sizeof(T)));
    T *wu = NAME(at)(piece(&work, m * ku * (int64_t)sizeof(T))),
      *wv = NAME(at)(piece(&work, n * kv * (int64_t)sizeof(T)));
    R *ws = (R *)(void *)piece(&work, k * (int64_t)sizeof(R));
    T *more = NAME(at)(piece(&work, t->lwork * (int64_t)sizeof(T)));
    R *rwork = (R *)(void *)piece(&work, t->lrwork * (int64_t)sizeof(R));
    if (k) {
        NAME(copy)(n, m, NAME(at)(p[0]), a->stride[1], a->stride[0], w, 1, n);
        if (!NAME(all_finite)(w, n, m, n)) return RL_NOT_FINITE;
        if (NAME(small_svd)(n, m, kv, ku, w, ws, wv, wu, more, !p[1] && !p[3]) == 0)
            info = NAME(run_gesdd)(t, job, n, m, w, ws, wv, wu, larger(ku, 1), more, t->lwork, rwork,
                                   (int64_t *)(void *)work);
    } else { /* nothing to decompose: the bases are the standard ones */
        for (int64_t i = 0; i < m * ku; i++) wu[i] = i / ku == i % ku;
        for (int64_t i = 0; i < n * kv; i++) wv[i] = i / n == i % n;
    }
    if (p[1]) NAME(copy)(ku, m, wu, 1, ku, NAME(at)(p[1]), u->stride[1], u->stride[0]);
    if (p[2]) NAME(store_real)(ws, s, p[2]);
    if (p[3]) NAME(copy)(n, kv, wv, 1, n, NAME(at)(p[3]), vh->stride[1], vh->stride[0]);
    return info;
}

int NAME(rl_svd_plan)(task *t) {
    int64_t m = t->m = t->call->args[0].size[0], n = t->n = t->call->args[0].size[1], k = smaller(m, n),
            most = larger(m, n);
    int64_t ku = t->call->args[1].size[1], kv = t->call->args[3].size[0], iwork = 0;
    T size = 1, a = 0;
    R s = 0, rwork = 0;
    if (!(t->fn[0] = rl_lapack_function(FN_GESDD, DTYPE))) return 1;
    t->one = NAME(svd_one);
    if (k) NAME(run_gesdd)(t, NAME(svd_job)(t), n, m, &a, &s, &a, &a, larger(ku, 1), &size, -1, &rwork, &iwork);
    t->lwork = NAME(answer)(size);
    t->lrwork = IS_COMPLEX ? larger(5 * k * k + 7 * k, 2 * most * k + 2 * k * k + k) : 0; /* by its documentation */
    t->liwork = 8 * k;
    if (k <= CAT(SMALL_SVD, DTYPE)) t->lwork = larger(t->lwork, m * n + k * k);
    t->bytes = rl_room(((wide)m * n + (wide)m * ku + (wide)n * kv + t->lwork) * (int64_t)sizeof(T) +
                       (k + t->lrwork) * (int64_t)sizeof(R) + (wide)t->liwork * 8 + 448);
    t->cost = 4.0 * (double)m * (double)n * (double)k + 2000;
    return 0;
}

/* ---- general eigenvalues ----------------------------------------------------------------------------------------- */

static int64_t NAME(run_geev)(const task *t, const char *job, T *a, T *w, T *v, T *work, int64_t lwork, R *rwork) {
    int64_t n = t->n, ld = larger(n, 1), one = 1, info = 0;
#if IS_COMPLEX
    ((NAME(geev_fn))t->fn[0])("N", job, &n, a, &ld, w, NULL, &one, v, &ld, work, &lwork, rwork, &info, 1, 1);
#else
    (void)rwork;
    ((NAME(geev_fn))t->fn[0])("N", job, &n, a, &ld, w, w + n, NULL, &one, v, &ld, work, &lwork, &info, 1, 1);
#endif
    return info;
}

static int64_t NAME(eig_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *values = &t->call->args[1], *vectors = &t->call->args[2];
    int64_t n = t->n, rs = vectors->stride[0], cs = vectors->stride[1];
    T *m = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T))), *v = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T)));
    T *w = NAME(at)(piece(&work, 2 * n * (int64_t)sizeof(T)));
    R *rwork = (R *)(void *)piece(&work, 2 * n * (int64_t)sizeof(R));
    NAME(complex_type) *out = (NAME(complex_type) *)(void *)p[1], *ov = (NAME(complex_type) *)(void *)p[2];
    if (n == 0) return 0;
    NAME(load)(a, p[0], m, n);
    if (!NAME(all_finite)(m, n, n, n)) return RL_NOT_FINITE;
    int64_t info = NAME(run_geev)(t, ov ? "V" : "N", m, w, v, NAME(at)(work), t->lwork, rwork);
#if IS_COMPLEX
    if (out)
        for (int64_t i = 0; i < n; i++) out[i * values->stride[0]] = w[i];
    if (ov) NAME(store)(v, n, vectors, p[2]);
#else
    /* A conjugate pair's vectors are x + iy and x - iy, with x and y in two columns. */
    if (out)
        for (int64_t i = 0; i < n; i++) {
            R *z = (R *)&out[i * values->stride[0]];
            z[0] = w[i], z[1] = w[n + i];
        }
    for (int64_t j = 0; ov && j < n; j++) {
        int pair = w[n + j] != 0 && j + 1 < n;
        for (int64_t i = 0; i < n; i++) {
            R *z = (R *)&ov[i * rs + j * cs], x = v[i + j * n], y = pair ? v[i + (j + 1) * n] : 0;
            z[0] = x, z[1] = y;
            if (pair) z = (R *)&ov[i * rs + (j + 1) * cs], z[0] = x, z[1] = -y;
        }
        j += pair;
    }
#endif
    (void)rs, (void)cs;
    return info;
}

int NAME(rl_eig_plan)(task *t) {
    int64_t n = t->n = t->call->args[0].size[0];
    T size = 1, a[2] = {0, 0};
    R rwork = 0;
    if (!(t->fn[0] = rl_lapack_function(FN_GEEV, DTYPE))) return 1;
    t->one = NAME(eig_one);
    if (n) NAME(run_geev)(t, t->call->args[2].data ? "V" : "N", a, a, a, &size, -1, &rwork);
    t->lwork = NAME(answer)(size);
    t->bytes = rl_room(((wide)2 * n * n + (wide)2 * n + t->lwork) * (int64_t)sizeof(T) +
                       (wide)2 * n * (int64_t)sizeof(R) + 320);
    t->cost = 10.0 * (double)n * (double)n * (double)n + 2000;
    return 0;
}
