/* Part of lapack_spectral.h: singular values of small matrices, for which LAPACK's nested calls cost more than the
 * work. LAPACK does what this cannot finish. */

enum { CAT(SMALL_SVD, DTYPE) = IS_COMPLEX ? 6 : 10 };

/* Make columns x and y (m elements) orthogonal by a rotation, which is also applied to the columns v and w (n
 * elements); returns whether they were not orthogonal. */
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
 * of the tall one of a and its transpose; u has mu, vt nv vectors. 0 if LAPACK must do it, and then a is unchanged. */
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
    /* The pairs of a round have no column in common, so that a processor turns several at once: each turn is a chain of
     * roots and quotients. */
    int64_t rounds = k - 1 + k % 2;
    int sweep = 0, turned = 1;
    for (; turned && sweep < 30; sweep++) {
        turned = 0;
        for (int64_t round = 0; round < rounds; round++)
            for (int64_t l = 0; l < (rounds + 1) / 2; l++) {
                int64_t i = l ? (round + l) % rounds : rounds, j = (round + rounds - l) % rounds;
                if (i < k)
                    turned |= NAME(orthogonalize)(rows, g + i * rows, g + j * rows, values_only ? 0 : k, v + i * k,
                                                  v + j * k);
            }
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
    /* The vector of a value that is nearly zero cannot be computed by division. */
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
