/* Family of lapack_hermitian.c: eigenvalues of Hermitian matrices. */

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

static int64_t NAME(eigh_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *values = &t->call->args[1], *v = &t->call->args[2];
    int64_t n = t->n, rs = a->stride[0], cs = a->stride[1];
    int upper = (t->call->flags & RL_UPPER) != 0;
    T *m = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T))),
      *w = NAME(at)(piece(&work, t->lwork * (int64_t)sizeof(T)));
    R *e = (R *)(void *)piece(&work, n * (int64_t)sizeof(R)),
      *rwork = (R *)(void *)piece(&work, t->lrwork * (int64_t)sizeof(R));
    const T *from = NAME(at)(p[0]);
    if (n == 0) return 0;
    /* One triangle counts; the other is made its mirror, or zeros where LAPACK does not read it, so that a NaN outside
     * of the first does no harm. */
    if (!IS_COMPLEX && n > CAT(SMALL_EIGH, DTYPE)) {
        NAME(copy)(n, n, from, upper ? cs : rs, upper ? rs : cs, m, 1, n);
        for (int64_t j = 1; j < n; j++) memset(m + j * n, 0, (size_t)j * sizeof(T));
    } else
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                T x = upper ? CONJ(from[j * rs + i * cs]) : from[i * rs + j * cs];
                m[i + j * n] = x, m[j + i * n] = CONJ(x);
                if (i == j) m[i + j * n] = REAL(x); /* LAPACK takes the diagonal to be real */
            }
    if (!NAME(all_finite)(m, n, n, n)) { /* NaN, as PyTorch has it */
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
    if (!(t->fn[0] = rl_lapack_function(FN_SYEVD, DTYPE))) return 1;
    t->one = NAME(eigh_one);
    if (n) NAME(run_syevd)(t, t->call->args[2].data ? "V" : "N", "L", &a, &w, &size, -1, &rwork, -1, &iwork, -1);
    t->lwork = NAME(answer)(size), t->lrwork = (int64_t)((double)rwork * (1 + 1e-6)) + 1, t->liwork = iwork;
    int64_t room = larger(t->liwork * 8, n <= CAT(SMALL_EIGH, DTYPE) ? n * n * (int64_t)sizeof(T) : 0);
    t->bytes =
        rl_room(((wide)n * n + t->lwork) * (int64_t)sizeof(T) + (n + t->lrwork) * (int64_t)sizeof(R) + room + 320);
    t->cost = 2.0 * (double)n * (double)n * (double)n + 1000;
    return 0;
}
