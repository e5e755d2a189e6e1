/* Part of lapack_hermitian.h: eigenvalues of small matrices, for which LAPACK's nested calls cost more than the work.
 * LAPACK does what this cannot finish. */

enum { CAT(SMALL_EIGH, DTYPE) = IS_COMPLEX ? 16 : 32 };

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

/* Eigenvalues, ascending, and vectors (q NULL: none) of a full Hermitian matrix, which is kept; 0 if LAPACK must do it.
   */
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
