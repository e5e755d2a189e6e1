/* Included by lapack_dtypes.h once per dtype (T: the element, R: its real type): copies and small loops, and functions
 * that families share. A matrix in a workspace is column-major, as LAPACK needs it. */

static inline T *NAME(at)(char *p) { return (T *)(void *)p; }

/* ---- copies ----------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE void NAME(copy_body)(int64_t m, int64_t n, const T *from, int64_t frs, int64_t fcs, T *to, int64_t trs,
                                   int64_t tcs) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) to[i * trs + j * tcs] = from[i * frs + j * fcs];
}

/* to[i, j] = from[i, j], any strides; in tiles if the contiguous axes of the two differ. */
static inline void NAME(copy)(int64_t m, int64_t n, const T *from, int64_t frs, int64_t fcs, T *to, int64_t trs,
                              int64_t tcs) {
    if (m == 8 && n == 8) { /* the largest size that is solved unrolled, so that copies matter */
        if (fcs == 1 && tcs == 1) return NAME(copy_body)(8, 8, from, frs, 1, to, trs, 1);
        if (fcs == 1 && trs == 1) return NAME(copy_body)(8, 8, from, frs, 1, to, 1, tcs);
        if (frs == 1 && tcs == 1) return NAME(copy_body)(8, 8, from, 1, fcs, to, trs, 1);
    }
    if (m * n <= 64) return NAME(copy_body)(m, n, from, frs, fcs, to, trs, tcs);
    if (frs == 1 && trs == 1) {
        for (int64_t j = 0; j < n; j++) memcpy(to + j * tcs, from + j * fcs, (size_t)m * sizeof(T));
        return;
    }
    if (fcs == 1 && tcs == 1) {
        for (int64_t i = 0; i < m; i++) memcpy(to + i * trs, from + i * frs, (size_t)n * sizeof(T));
        return;
    }
#if !IS_COMPLEX
    if (frs == 1 && tcs == 1) return NAME(rl_turn)(n, m, from, fcs, to, trs, 0);
    if (fcs == 1 && trs == 1) return NAME(rl_turn)(m, n, from, frs, to, tcs, 0);
#endif
    for (int64_t i0 = 0; i0 < m; i0 += 16)
        for (int64_t j0 = 0; j0 < n; j0 += 16) {
            int64_t i1 = smaller(i0 + 16, m), j1 = smaller(j0 + 16, n);
            for (int64_t i = i0; i < i1; i++)
                for (int64_t j = j0; j < j1; j++) to[i * trs + j * tcs] = from[i * frs + j * fcs];
        }
}

static inline void NAME(load)(const rl_matrix *a, char *p, T *to, int64_t ld) {
    NAME(copy)(a->size[0], a->size[1], NAME(at)(p), a->stride[0], a->stride[1], to, 1, ld);
}

static inline void NAME(store)(const T *from, int64_t ld, const rl_matrix *a, char *p) {
    NAME(copy)(a->size[0], a->size[1], from, 1, ld, NAME(at)(p), a->stride[0], a->stride[1]);
}

static inline void NAME(store_real)(const R *from, const rl_matrix *a, char *p) {
    R *to = (R *)(void *)p;
    for (int64_t i = 0; i < a->size[0]; i++) to[i * a->stride[0]] = from[i];
}

/* The leading dimension of a row-major matrix (order ROW_MAJOR), or of a column-major one; 0 if it is neither. */
static inline int64_t NAME(leading)(int order, int64_t m, int64_t n, int64_t rs, int64_t cs) {
    if (order == COL_MAJOR) {
        int64_t x = m;
        m = n, n = x, x = rs, rs = cs, cs = x;
    }
    if (n > 1 && cs != 1) return 0;
    if (m > 1 && rs < n) return 0;
    return m > 1 ? larger(rs, 1) : larger(n, 1);
}

/* Real numbers whose sums and maxima are taken side by side, so that they can be computed in vectors. */
enum { CAT(BESIDE, DTYPE) = 16 };

static inline int NAME(all_finite)(const T *a, int64_t m, int64_t n, int64_t ld) {
    enum { W = CAT(BESIDE, DTYPE) };
    for (int64_t j = 0; j < n; j++) {
        const R *x = (const R *)(a + j * ld);
        int64_t length = m * (1 + IS_COMPLEX), i = 0;
        R lane[W] = {0}, sum = 0; /* x - x is 0 for a finite x, and NaN for any other */
        for (; i + W <= length; i += W)
            for (int64_t l = 0; l < W; l++) lane[l] += x[i + l] - x[i + l];
        for (; i < length; i++) sum += x[i] - x[i];
        for (int64_t l = 0; l < W; l++) sum += lane[l];
        if (!(sum == 0)) return 0;
    }
    return 1;
}

/* A size that LAPACK has returned in the first element of a workspace: float32 may have rounded it down. */
static inline int64_t NAME(answer)(T x) {
    double size = (double)REAL(x);
    return (int64_t)(size + size / 4194304) + 1;
}

/* The sum of conj(x) y over n contiguous elements, in eight lanes, so that it can be computed in vectors. */
ALWAYS_INLINE T NAME(inner)(int64_t n, const T *x, const T *y) {
    T sum = 0;
    int64_t i = 0;
#if !IS_COMPLEX
    if (n >= 8) {
        T lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (; i + 8 <= n; i += 8)
            for (int l = 0; l < 8; l++) lane[l] += x[i + l] * y[i + l];
        for (int l = 0; l < 4; l++) lane[l] += lane[l + 4];
        sum = (lane[0] + lane[2]) + (lane[1] + lane[3]);
    }
#endif
    for (; i < n; i++) sum += CONJ(x[i]) * y[i];
    return sum;
}

/* x / d without the square of d, which overflows or vanishes long before the quotient does (Smith, CACM 5, 1962). */
ALWAYS_INLINE T NAME(quotient)(T x, T d) {
#if IS_COMPLEX
    R a = ((R *)&x)[0], b = ((R *)&x)[1], p = ((R *)&d)[0], q = ((R *)&d)[1];
    T y;
    if (fabs((double)p) >= fabs((double)q)) {
        R r = q / p, s = p + q * r;
        ((R *)&y)[0] = (a + b * r) / s, ((R *)&y)[1] = (b - a * r) / s;
    } else {
        R r = p / q, s = p * r + q;
        ((R *)&y)[0] = (a * r + b) / s, ((R *)&y)[1] = (b * r - a) / s;
    }
    return y;
#else
    return x / d;
#endif
}

/* The size by which pivots are chosen; for complex numbers it is LAPACK's, too, so that the choice is the same. */
static inline R NAME(pivot_size)(T x) {
#if IS_COMPLEX
    return (R)(fabs((double)((R *)&x)[0]) + fabs((double)((R *)&x)[1]));
#else
    return ABS(x);
#endif
}

/* ---- what the families share ------------------------------------------------------------------------------------- */

typedef void (*NAME(getrf_fn))(const int64_t *, const int64_t *, T *, const int64_t *, int64_t *, int64_t *);

/* x = a^-1 x, or a^-H x; `spare` holds n * n + n * k elements. */
void NAME(rl_solve_triangle)(void *trsm, int upper, int unit, int adjoint, int64_t n, int64_t k, const T *a,
                             int64_t ars, int64_t acs, T *x, int64_t xrs, int64_t xcs, T *spare);

void NAME(rl_swap_rows)(T *x, int64_t i, int64_t j, int64_t rs, int64_t cs, int64_t k);

/* One Householder reflector: on return x = (beta, v[1:]) and the result is tau, with (I - tau v v^H)^H x = beta e_1,
 * v[0] = 1. (LAPACK's choice of signs: beta is real.) */
T NAME(rl_reflector)(int64_t n, T *x);

/* c -= tau v (v^H c) for the columns of c; v[0] counts as 1. */
void NAME(rl_reflect)(int64_t m, int64_t n, const T *v, T tau, T *c, int64_t ld);
