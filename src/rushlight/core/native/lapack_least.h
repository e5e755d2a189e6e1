/* Family of lapack_least.c: least squares, by reflectors and by LAPACK's drivers. */

#include "lapack_moderate.h"

/* Up to so many elements blocks cost more than they save. */
enum { CAT(SMALL_LSTSQ, DTYPE) = 2100 };

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

#if !IS_COMPLEX
/* Vectors that are iterated, and iterations at most. */
enum { CAT(VECTORS, DTYPE) = 16, CAT(ITERATIONS, DTYPE) = 8 };

static wide NAME(rank_room)(int64_t n) {
    return (wide)n * n + 3 * (wide)n * CAT(VECTORS, DTYPE) + rl_solve_spare(n, CAT(VECTORS, DTYPE));
}

/* Columns of x (n x VECTORS, by rows) of length 1; the logarithms of what they were divided by are added to `size`.
 * Returns the largest of the divisors. */
static double NAME(normalize)(int64_t n, T *x, double *size) {
    enum { W = CAT(VECTORS, DTYPE) };
    double sum[W] = {0}, largest = 0;
    T by[W];
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < W; c++) sum[c] += (double)x[i * W + c] * (double)x[i * W + c];
    for (int64_t c = 0; c < W; c++) {
        double norm = sqrt(sum[c]);
        largest = norm > largest ? norm : largest;
        size[c] += log(norm);
        by[c] = (T)(1 / norm);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < W; c++) x[i * W + c] *= by[c];
    return largest;
}

/* Whether the smallest singular value of R (column-major, ld elements apart) is surely above cut times the largest, so
 * that no driver takes it for less than full rank; RL_NO_MEMORY. By iterations with R^T R and its inverse on random
 * vectors w: |B| <= a sqrt(2 / pi) max |B w| with probability 1 - a^-VECTORS, B = (R^T R)^q (N. Halko, P. Martinsson,
 * J. Tropp, "Finding structure with randomness", SIAM Rev. 53, 2011, lemma 4.1); a = 4. A step's length is a bound on
 * the other side, which ends the search for a matrix that is surely of less rank. */
static int NAME(has_full_rank)(int64_t n, const T *a, int64_t ld, double cut, T *work) {
    enum { W = CAT(VECTORS, DTYPE) };
    T *r = work, *up = r + n * n, *down = up + n * W, *x = down + n * W, *spare = x + n * W;
    const double slack = log(4 * sqrt(2 / 3.141592653589793));
    double grown[W] = {0}, shrunk[W] = {0};
    uint64_t state = 1;
    for (int64_t j = 0; j < n; j++) {
        memcpy(r + j * n, a + j * ld, (size_t)(j + 1) * sizeof(T));
        memset(r + j * n + j + 1, 0, (size_t)(n - j - 1) * sizeof(T));
    }
    for (int64_t i = 0; i < n * W; i++) { /* nearly normal: the sum of four numbers of 16 bits */
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = (state ^ state >> 29) * 0x9e3779b97f4a7c15u;
        double sum = (double)((bits & 65535) + (bits >> 16 & 65535) + (bits >> 32 & 65535) + (bits >> 48));
        up[i] = down[i] = (T)((sum / 65536 - 2) * 1.7320508075688772);
    }
    for (int64_t q = 1; q <= CAT(ITERATIONS, DTYPE); q++) {
        int rc = NAME(rl_product_of)(0, n, W, n, r, 1, n, up, W, x, W);
        if (rc == 0) rc = NAME(rl_product_of)(0, n, W, n, r, n, 1, x, W, up, W);
        if (rc == 0) rc = NAME(rl_solve_blocks)(0, 0, n, W, r, n, 1, down, W, spare);
        if (rc == 0) rc = NAME(rl_solve_blocks)(1, 0, n, W, r, 1, n, down, W, spare);
        if (rc) return RL_NO_MEMORY;
        double longer = NAME(normalize)(n, up, grown), shorter = NAME(normalize)(n, down, shrunk);
        double most = grown[0], least = shrunk[0];
        for (int64_t c = 1; c < W; c++) {
            most = grown[c] > most ? grown[c] : most;
            least = shrunk[c] > least ? shrunk[c] : least;
        }
        /* most + least + 2 slack >= 2 q log of the ratio of the singular values */
        if ((most + least + 2 * slack) / (2 * (double)q) < -log(cut)) return 1;
        if (q > 1 && !(sqrt(longer * shorter) * cut < 1)) return 0;
    }
    return 0;
}

/* Least squares by reflectors: a tall matrix is Q R, a wide one R^T Q^T. Returns RL_NO_MEMORY, LAPACK_MUST for very
 * large or small elements and where the rank may be less than full (for gelsy), or info as that of gels. */
enum { CAT(LAPACK_MUST, DTYPE) = -1001 };

static wide NAME(reflected_room)(int64_t m, int64_t n, int64_t k) {
    int64_t least = smaller(m, n), most = larger(m, n);
    wide room = rl_reflectors_room(most, least + k), other = NAME(rank_room)(least);
    wide solution = (wide)least * rl_row_apart(k) + rl_solve_spare(least, k);
    other = other > solution ? other : solution;
    return (wide)most * (least + k) + least + (room > other ? room : other);
}

static int64_t NAME(reflected)(const task *t, char **p, T *work) {
    const rl_matrix *a = &t->call->args[0], *b = &t->call->args[1], *x = &t->call->args[3];
    int64_t m = t->m, n = t->n, k = t->k, least = smaller(m, n), most = larger(m, n), tall = m >= n;
    T *z = work, *c = z + most * least, *tau = c + most * k, *rest = tau + least;
    if (tall)
        NAME(load)(a, p[0], z, m);
    else
        NAME(copy)(n, m, NAME(at)(p[0]), a->stride[1], a->stride[0], z, 1, n);
    if (!NAME(all_finite)(z, most, least, most)) return RL_NOT_FINITE;
    if (!NAME(moderate)(most * least, z)) return CAT(LAPACK_MUST, DTYPE);
    if (tall) NAME(load)(b, p[1], c, m);
    if (NAME(rl_factor_columns)(most, least + (tall ? k : 0), least, z, most, tau, rest)) return RL_NO_MEMORY;
    for (int64_t j = 0; j < least; j++)
        if (z[j * (most + 1)] == 0) return t->call->flags == RL_GELS ? j + 1 : CAT(LAPACK_MUST, DTYPE);
    if (t->call->flags == RL_GELSY) {
        int full = NAME(has_full_rank)(least, z, most, *(double *)(void *)p[2], rest);
        if (full != 1) return full ? RL_NO_MEMORY : CAT(LAPACK_MUST, DTYPE);
    }
    int64_t apart = rl_row_apart(k);
    T *y = rest, *spare = y + least * apart;
    if (tall)
        NAME(copy)(n, k, c, 1, m, y, apart, 1);
    else
        NAME(copy)(m, k, NAME(at)(p[1]), b->stride[0], b->stride[1], y, apart, 1);
    if (NAME(rl_solve_blocks)(tall, 0, least, k, z, tall ? 1 : n, tall ? m : 1, y, apart, spare)) return RL_NO_MEMORY;
    if (tall) {
        NAME(copy)(n, k, y, apart, 1, NAME(at)(p[3]), x->stride[0], x->stride[1]);
        return 0;
    }
    memset(c, 0, (size_t)(n * k) * sizeof(T));
    NAME(copy)(m, k, y, apart, 1, c, 1, n);
    int rc = NAME(rl_multiply_reflected)(0, n, m, z, n, tau, k, c, n, rest);
    NAME(store)(c, n, x, p[3]);
    return rc;
}
#endif

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
#if !IS_COMPLEX
        if (t->ours && p[3]) {
            info = NAME(reflected)(t, p, NAME(at)(work));
            if (p[4] && info == 0) *(int64_t *)(void *)p[4] = least;
            if (info != CAT(LAPACK_MUST, DTYPE)) return info;
        }
#endif
        NAME(load)(a, p[0], wa, m);
        if (!NAME(all_finite)(wa, m, n, m)) return RL_NOT_FINITE;
        NAME(load)(b, p[1], wb, most);
        for (int64_t c = 0; c < k; c++)
            for (int64_t i = m; i < most; i++) wb[i + c * most] = 0;
        memset(jpvt, 0, (size_t)n * 8);
        if (t->ours && rl_blas_enter() != 0) return RL_NO_MEMORY;
        info = NAME(run_driver)(t, wa, wb, ws, jpvt, (R) * (double *)(void *)p[2], &rank, w, t->lwork, rwork, iwork);
        if (t->ours) rl_blas_leave();
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
    wide room = 0;
    if (!(t->fn[0] = rl_lapack_function(drivers[t->call->flags], DTYPE))) return 1;
    t->one = NAME(lstsq_one);
    if (least && k) NAME(run_driver)(t, &a, &a, &s, &jpvt, 0, &rank, &size, -1, &lrwork, &liwork);
    t->lwork = NAME(answer)(size);
    t->liwork = liwork;
    t->lrwork = larger((int64_t)((double)lrwork * (1 + 1e-6)) + 1, larger(2 * n, 5 * least));
#if !IS_COMPLEX
    t->ours = (t->call->flags == RL_GELSY || t->call->flags == RL_GELS) && m * n > CAT(SMALL_LSTSQ, DTYPE) && k > 0;
    if (t->ours) room = NAME(reflected_room)(m, n, k);
#endif
    t->bytes = rl_room(((wide)m * n + (wide)larger(m, n) * k + t->lwork + room) * (int64_t)sizeof(T) +
                       (least + t->lrwork) * (int64_t)sizeof(R) + (n + liwork) * 8 + 640);
    t->cost = (double)m * (double)n * (double)(least + k) + 2000;
    return 0;
}

#undef RWORK
#undef RWORK_ARG
