/* Family of lapack_hermitian.c: eigenvalues of Hermitian matrices. */

#include "lapack_moderate.h"
#include "lapack_small_eigh.h"

#if IS_COMPLEX
typedef void (*NAME(syevd_fn))(const char *, const char *, const int64_t *, T *, const int64_t *, R *, T *,
                               const int64_t *, R *, const int64_t *, int64_t *, const int64_t *, int64_t *, size_t,
                               size_t);
#else
typedef void (*NAME(syevd_fn))(const char *, const char *, const int64_t *, T *, const int64_t *, R *, T *,
                               const int64_t *, int64_t *, const int64_t *, int64_t *, size_t, size_t);
#endif

static int64_t NAME(run_syevd)(const task *t, const char *job, const char *half, T *a, R *w, T *work, int64_t lwork,
                               R *rwork, int64_t lrwork, int64_t *iwork, int64_t liwork) {
    int64_t n = t->n, ld = larger(n, 1), info = 0;
#if IS_COMPLEX
    ((NAME(syevd_fn))t->fn[0])(job, half, &n, a, &ld, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info, 1, 1);
#else
    (void)rwork, (void)lrwork;
    ((NAME(syevd_fn))t->fn[0])(job, half, &n, a, &ld, w, work, &lwork, iwork, &liwork, &info, 1, 1);
#endif
    return info;
}

#if !IS_COMPLEX
typedef void (*NAME(sytrd_fn))(const char *, const int64_t *, T *, const int64_t *, T *, T *, T *, T *, const int64_t *,
                               int64_t *, size_t);
typedef void (*NAME(stedc_fn))(const char *, const int64_t *, T *, T *, T *, const int64_t *, T *, const int64_t *,
                               int64_t *, const int64_t *, int64_t *, size_t);

/* z, whose rows are the n eigenvectors of a tridiagonal matrix q^T a q, times q^T: q is the product of the n - 1
 * reflectors that sytrd left below a's diagonal, and with `tau`. */
static int NAME(reflect_vectors)(int64_t n, const T *a, const T *tau, T *z, T *work) {
    return NAME(rl_multiply_reflected)(0, n - 1, n - 1, a + 1, n, tau, n, z + 1, n, work);
}

/* The factor for a matrix whose largest element is `most`, so that no square overflows or vanishes, as in syevd. */
static R NAME(scale)(R most) {
    const double least = sizeof(R) == 4 ? sqrt(FLT_MIN / FLT_EPSILON) : sqrt(DBL_MIN / DBL_EPSILON);
    if (most > 0 && (double)most < least) return (R)(least / (double)most);
    return (double)most > 1 / least ? (R)(1 / least / (double)most) : 1;
}

/* As syevd, but with larger products in the last step, by all threads: the column-major lower triangle of `a` ->
 * eigenvalues d, and eigenvectors, each of which is a row of z. */
static int64_t NAME(eigenvectors)(const task *t, T *a, T *d, T *z, char *work) {
    int64_t n = t->n, info = 0;
    T *e = NAME(at)(piece(&work, n * (int64_t)sizeof(T))), *tau = NAME(at)(piece(&work, n * (int64_t)sizeof(T)));
    int64_t *iwork = (int64_t *)(void *)piece(&work, t->liwork * 8);
    T most = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) most = ABS(a[j * n + i]) > most ? ABS(a[j * n + i]) : most;
    T scale = NAME(scale)(most);
    for (int64_t i = 0; scale != 1 && i < n * n; i++) a[i] *= scale;
    if (rl_blas_enter() != 0) return RL_NO_MEMORY;
    ((NAME(sytrd_fn))t->fn[1])("L", &n, a, &n, d, e, tau, NAME(at)(work), &t->lwork, &info, 1);
    ((NAME(stedc_fn))t->fn[2])("I", &n, d, e, z, &n, NAME(at)(work), &t->lwork, iwork, &t->liwork, &info, 1);
    rl_blas_leave();
    if (info) return info;
    for (int64_t i = 0; scale != 1 && i < n; i++) d[i] /= scale;
    return NAME(reflect_vectors)(n, a, tau, z, NAME(at)(work));
}
#endif

static int64_t NAME(eigh_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *values = &t->call->args[1], *v = &t->call->args[2];
    int64_t n = t->n, rs = a->stride[0], cs = a->stride[1];
    int upper = (t->call->flags & RL_UPPER) != 0;
    T *m = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T))),
      *w = NAME(at)(piece(&work, (t->ours ? n * n : t->lwork) * (int64_t)sizeof(T)));
    R *e = (R *)(void *)piece(&work, n * (int64_t)sizeof(R)),
      *rwork = (R *)(void *)piece(&work, t->lrwork * (int64_t)sizeof(R));
    const T *from = NAME(at)(p[0]);
    if (n == 0) return 0;
    /* Only one triangle counts; the other is made its mirror image, or zeros if LAPACK does not read it, so that a NaN
     * in it does no harm. */
    if (!IS_COMPLEX && n > CAT(SMALL_EIGH, DTYPE)) {
        NAME(copy)(n, n, from, upper ? cs : rs, upper ? rs : cs, m, 1, n);
        for (int64_t j = 1; j < n; j++) memset(m + j * n, 0, (size_t)j * sizeof(T));
    } else
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                T x = upper ? CONJ(from[j * rs + i * cs]) : from[i * rs + j * cs];
                m[i + j * n] = x, m[j + i * n] = CONJ(x);
                if (i == j) m[i + j * n] = REAL(x); /* LAPACK assumes that the diagonal is real */
            }
    if (!NAME(all_finite)(m, n, n, n)) { /* NaN, as in PyTorch */
        for (int64_t i = 0; i < n * n; i++) m[i] = (R)NAN;
        for (int64_t i = 0; i < n; i++) e[i] = (R)NAN;
        if (p[1]) NAME(store_real)(e, values, p[1]);
        if (p[2]) NAME(store)(m, n, v, p[2]);
        return 0;
    }
    int small = n <= CAT(SMALL_EIGH, DTYPE) && NAME(small_eigh)(n, m, e, p[2] ? NAME(at)(work) : NULL);
    if (small) {
        if (p[1]) NAME(store_real)(e, values, p[1]);
        if (p[2]) NAME(store)(NAME(at)(work), n, v, p[2]);
        return 0;
    }
#if !IS_COMPLEX
    if (t->ours) {
        T *z = w;
        int64_t info = NAME(eigenvectors)(t, m, e, z, work);
        if (info == RL_NO_MEMORY) return info;
        if (p[1]) NAME(store_real)(e, values, p[1]);
        NAME(store)(z, n, v, p[2]);
        return info;
    }
#endif
    int64_t info = NAME(run_syevd)(t, p[2] ? "V" : "N", "L", m, e, w, t->lwork, rwork, t->lrwork,
                                   (int64_t *)(void *)work, t->liwork);
    if (p[1]) NAME(store_real)(e, values, p[1]);
    if (p[2]) NAME(store)(m, n, v, p[2]);
    return info;
}

int NAME(rl_eigh_plan)(task *t) {
    int64_t n = t->n = t->call->args[0].size[0], iwork = 1;
    T size = 1, a = 0;
    R w = 0, rwork = 1;
    t->one = NAME(eigh_one);
    t->cost = 2.0 * (double)n * (double)n * (double)n + 1000;
#if !IS_COMPLEX
    if (n > CAT(SMALL_EIGH, DTYPE) && t->call->args[2].data) {
        t->fn[1] = rl_lapack_function(FN_SYTRD, DTYPE), t->fn[2] = rl_lapack_function(FN_STEDC, DTYPE);
        t->ours = 1;
        t->lwork = rl_room((wide)n * n + 64 * (wide)n), t->liwork = 3 + 5 * n;
        wide room = rl_reflectors_room(n, n), elements = 2 * (wide)n * n + 3 * n + (room > t->lwork ? room : t->lwork);
        t->bytes = rl_room(elements * (int64_t)sizeof(T) + t->liwork * 8 + 512);
        return !t->fn[1] || !t->fn[2];
    }
#endif
    if (!(t->fn[0] = rl_lapack_function(FN_SYEVD, DTYPE))) return 1;
    if (n) NAME(run_syevd)(t, t->call->args[2].data ? "V" : "N", "L", &a, &w, &size, -1, &rwork, -1, &iwork, -1);
    t->lwork = NAME(answer)(size), t->lrwork = (int64_t)((double)rwork * (1 + 1e-6)) + 1, t->liwork = iwork;
    int64_t room = larger(t->liwork * 8, n <= CAT(SMALL_EIGH, DTYPE) ? n * n * (int64_t)sizeof(T) : 0);
    t->bytes =
        rl_room(((wide)n * n + t->lwork) * (int64_t)sizeof(T) + (n + t->lrwork) * (int64_t)sizeof(R) + room + 320);
    return 0;
}
