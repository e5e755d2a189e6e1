/* Part of lapack_spectral.h: eigenvalues and singular values of small matrices, where LAPACK's calls of calls cost more
 * than the work. What these do not finish is left to LAPACK. */

enum { CAT(SMALL_EIGH, DTYPE) = IS_COMPLEX ? 16 : 32, CAT(SMALL_SVD, DTYPE) = IS_COMPLEX ? 6 : 10 };

/* Whether squares of the elements neither overflow nor vanish. */
static int NAME(moderate)(int64_t n, const T *a) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, (double)NAME(pivot_size)(a[i]));
    return most == 0 || (most > (sizeof(R) == 4 ? 1e-16 : 1e-140) && most < (sizeof(R) == 4 ? 1e16 : 1e140));
}

/* q^H a q = tridiagonal(d, e) by Householder reflectors, which stay below a's diagonal with their tau; a is full. */
static void NAME(tridiagonalize)(int64_t n, T *a, double *d, double *e, T *tau) {
    T w[CAT(SMALL_EIGH, DTYPE)];
    for (int64_t k = 0; k + 1 < n; k++) {
        int64_t m = n - k - 1;
        T *v = a + k + 1 + k * n, *rest = a + (k + 1) * (n + 1);
        d[k] = (double)REAL(a[k * (n + 1)]);
        tau[k] = NAME(rl_reflector)(m, v);
        e[k] = (double)REAL(v[0]);
        if (tau[k] == 0) continue;
        v[0] = 1;
        /* w = tau a v, then w -= tau (w^H v) v / 2; the rest becomes a - v w^H - w v^H. */
        for (int64_t i = 0; i < m; i++) w[i] = 0;
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < m; i++) w[i] += rest[i + j * n] * v[j];
        T inner = 0;
        for (int64_t i = 0; i < m; i++) {
            w[i] *= tau[k];
            inner += CONJ(w[i]) * v[i];
        }
        inner *= tau[k] / 2;
        for (int64_t i = 0; i < m; i++) w[i] -= inner * v[i];
        for (int64_t j = 0; j < m; j++) {
            T vj = CONJ(v[j]), wj = CONJ(w[j]);
            for (int64_t i = 0; i < m; i++) rest[i + j * n] -= v[i] * wj + w[i] * vj;
        }
    }
    d[n - 1] = (double)REAL(a[n * n - 1]);
}

/* The product of the reflectors, into q. */
static void NAME(form_basis)(int64_t n, const T *a, const T *tau, T *q) {
    for (int64_t i = 0; i < n * n; i++) q[i] = i % (n + 1) == 0;
    for (int64_t k = n - 2; k >= 0; k--)
        NAME(rl_reflect)(n - k - 1, n - k - 1, a + k + 1 + k * n, tau[k], q + (k + 1) * (n + 1), n);
}

/* Implicit QL steps until e vanishes (A. Dubrulle, R. S. Martin, J. H. Wilkinson, "The implicit QL algorithm", Numer.
 * Math. 12, 1968), with the rotations applied to the columns of q; 0 without convergence. */
static int NAME(ql_steps)(int64_t n, double *d, double *e, T *q) {
    const double eps = sizeof(R) == 4 ? 6e-8 : 1.1e-16;
    e[n - 1] = 0;
    for (int64_t l = 0; l < n; l++)
        for (int iteration = 0;; iteration++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > eps * (fabs(d[m]) + fabs(d[m + 1]))) m++;
            if (m == l) break;
            if (iteration == 60) return 0;
            double shift = (d[l + 1] - d[l]) / (2 * e[l]);
            double g = d[m] - d[l] + e[l] / (shift + copysign(sqrt(shift * shift + 1), shift)), s = 1, c = 1, sum = 0;
            int64_t i = m - 1;
            for (; i >= l; i--) {
                double f = s * e[i], b = c * e[i], r = sqrt(f * f + g * g);
                e[i + 1] = r;
                if (r == 0) { /* the matrix falls into two */
                    d[i + 1] -= sum, e[m] = 0;
                    break;
                }
                s = f / r, c = g / r;
                g = d[i + 1] - sum;
                r = (d[i] - g) * s + 2 * c * b;
                sum = s * r;
                d[i + 1] = g + sum;
                g = c * r - b;
                if (!q) continue;
                R *x = (R *)(q + i * n), *y = (R *)(q + (i + 1) * n), sr = (R)s, cr = (R)c;
                for (int64_t k = 0; k < n * (1 + IS_COMPLEX); k++) {
                    R z = y[k];
                    y[k] = sr * x[k] + cr * z;
                    x[k] = cr * x[k] - sr * z;
                }
            }
            if (i >= l) continue;
            d[l] -= sum, e[l] = g, e[m] = 0;
        }
    return 1;
}

/* Eigenvalues, ascending, and vectors (q NULL: none) of a full Hermitian matrix, which is kept; 0 when it is left to
 * LAPACK. */
static int NAME(small_eigh)(int64_t n, const T *given, R *values, T *q) {
    T a[CAT(SMALL_EIGH, DTYPE) * CAT(SMALL_EIGH, DTYPE)], tau[CAT(SMALL_EIGH, DTYPE)];
    double d[CAT(SMALL_EIGH, DTYPE)], e[CAT(SMALL_EIGH, DTYPE)];
    if (!NAME(moderate)(n * n, given)) return 0;
    memcpy(a, given, (size_t)(n * n) * sizeof(T));
    NAME(tridiagonalize)(n, a, d, e, tau);
    if (q) NAME(form_basis)(n, a, tau, q);
    if (!NAME(ql_steps)(n, d, e, q)) return 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (d[j] < d[least]) least = j;
        double x = d[i];
        d[i] = d[least], d[least] = x;
        values[i] = (R)d[i];
        if (q && least != i)
            for (int64_t k = 0; k < n; k++) {
                T y = q[k + i * n];
                q[k + i * n] = q[k + least * n], q[k + least * n] = y;
            }
    }
    return 1;
}

/* ---- singular values --------------------------------------------------------------------------------------------- */

/* Columns x and y (m elements), made orthogonal by a rotation, which is applied to the columns v and w too (n
 * elements); whether they were not orthogonal. */
static int NAME(orthogonalize)(int64_t m, T *x, T *y, int64_t n, T *v, T *w) {
    const R eps = sizeof(R) == 4 ? (R)6e-8 : (R)1.1e-16;
    R a = REAL(NAME(inner)(m, x, x)), b = REAL(NAME(inner)(m, y, y));
    T inner = NAME(inner)(m, x, y);
    R size = ABS(inner);
    if (!(size > eps * (R)sqrt((double)a) * (R)sqrt((double)b)) || size == 0) return 0;
    R ratio = (b - a) / (2 * size),
      tangent = (R)copysign(1 / (fabs((double)ratio) + sqrt(1 + (double)ratio * (double)ratio)), (double)ratio);
    R c = (R)(1 / sqrt(1 + (double)tangent * (double)tangent));
    T s = c * tangent * (inner / size), sc = CONJ(s);
    for (int64_t i = 0; i < m; i++) {
        T p = x[i];
        x[i] = c * p - sc * y[i], y[i] = s * p + c * y[i];
    }
    for (int64_t i = 0; i < n; i++) {
        T p = v[i];
        v[i] = c * p - sc * w[i], w[i] = s * p + c * w[i];
    }
    return 1;
}

/* a (m x n, by columns) = u diag(s) vt by one-sided Jacobi rotations (M. R. Hestenes, J. SIAM 6, 1958) of the columns
 * of the tall one of a and its transpose; u has mu, vt nv vectors. 0 when it is left to LAPACK: a is kept then. */
static int NAME(small_svd)(int64_t m, int64_t n, int64_t mu, int64_t nv, const T *a, R *s, T *u, T *vt, T *work,
                           int values_only) {
    int64_t k = smaller(m, n), rows = larger(m, n);
    int wide = m < n;
    if (k < 1 || k > CAT(SMALL_SVD, DTYPE) || rows > 4 * CAT(SMALL_SVD, DTYPE) || !NAME(moderate)(m * n, a)) return 0;
    if (!values_only && (mu > k || nv > k)) return 0;
    T *g = work, *v = work + m * n;
    if (wide)
        NAME(copy)(n, m, a, m, 1, g, 1, n); /* a^T */
    else
        memcpy(g, a, (size_t)(m * n) * sizeof(T));
    for (int64_t i = 0; i < k * k; i++) v[i] = i % (k + 1) == 0;
    int sweep = 0, turned = 1;
    for (; turned && sweep < 30; sweep++) {
        turned = 0;
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = i + 1; j < k; j++)
                turned |= NAME(orthogonalize)(rows, g + i * rows, g + j * rows, k, v + i * k, v + j * k);
    }
    if (turned) return 0;
    double sizes[CAT(SMALL_SVD, DTYPE)] = {0};
    int64_t order[CAT(SMALL_SVD, DTYPE)] = {0};
    for (int64_t j = 0; j < k; j++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) sum += (double)REAL(CONJ(g[i + j * rows]) * g[i + j * rows]);
        sizes[j] = sqrt(sum);
        int64_t at = j;
        for (; at > 0 && sizes[order[at - 1]] < sizes[j]; at--) order[at] = order[at - 1];
        order[at] = j;
    }
    /* Of a value that is next to nothing the vector is not to be had by division. */
    if (!values_only && !(sizes[order[k - 1]] > sizes[order[0]] * (sizeof(R) == 4 ? 1e-5 : 1e-13))) return 0;
    for (int64_t j = 0; j < k; j++) {
        int64_t from = order[j];
        s[j] = (R)sizes[from];
        if (values_only) continue;
        R scale = (R)(1 / sizes[from]);
        const T *left = g + from * rows, *right = v + from * k;
        /* g v = left; a = left v^H, or for a wide one a = conj(v) left^T. */
        if (wide)
            for (int64_t i = 0; i < k; i++) u[i + j * m] = CONJ(right[i]);
        else
            for (int64_t i = 0; i < m; i++) u[i + j * m] = left[i] * scale;
        for (int64_t i = 0; i < n; i++) vt[j + i * nv] = wide ? left[i] * scale : CONJ(right[i]);
    }
    return 1;
}
