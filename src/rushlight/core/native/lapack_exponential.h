/* Family of lapack_exponential.c: the matrix exponential. */

#if IS_COMPLEX
typedef void (*NAME(gemm_fn))(int, int, int, int64_t, int64_t, int64_t, const T *, const T *, int64_t, const T *,
                              int64_t, const T *, T *, int64_t);
#endif

/* c = a b, of n x n by columns. 0 or RL_NO_MEMORY. */
static int NAME(square_product)(const task *t, const T *a, const T *b, T *c) {
    int64_t n = t->n;
    if (n <= 6) {
        for (int64_t i = 0; i < n * n; i++) c[i] = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < n; l++)
                for (int64_t i = 0; i < n; i++) c[i + j * n] += a[i + l * n] * b[l + j * n];
        return 0;
    }
#if IS_COMPLEX
    T one = 1, zero = 0;
    ((NAME(gemm_fn))t->fn[1])(COL_MAJOR, 111, 111, n, n, n, &one, a, n, b, n, &zero, c, n);
    return 0;
#else
    /* row-major, it is the product of the transposes in the other order */
    return NAME(rl_product_of)(0, n, n, n, b, n, 1, a, n, c, n);
#endif
}

/* Elements of a workspace for `square_solve`. */
static int64_t NAME(exponential_spare)(int64_t n) {
    wide most = (wide)2 * n * n;
    if (!IS_COMPLEX && rl_lu_spare(n, n) > most) most = rl_lu_spare(n, n);
    return most < INT64_MAX ? (int64_t)most : INT64_MAX;
}

/* x = a^-1 x, of n x n by columns; a is overwritten. 0 or RL_NO_MEMORY. */
static int NAME(square_solve)(const task *t, T *a, T *x, int64_t *pivots, T *spare) {
    int64_t n = t->n, info = 0;
#if IS_COMPLEX
    ((NAME(getrf_fn))t->fn[0])(&n, &n, a, &n, pivots, &info);
    for (int64_t i = 0; i < n; i++) NAME(rl_swap_rows)(x, i, pivots[i] - 1, 1, n, n);
    NAME(rl_solve_triangle)(t->fn[2], 0, 1, 0, n, n, a, 1, n, x, 1, n, spare);
    NAME(rl_solve_triangle)(t->fn[2], 1, 0, 0, n, n, a, 1, n, x, 1, n, spare);
    return 0;
#else
    /* Row-major, these are the transposes of two functions of one matrix, so the factors commute. */
    int32_t *own = (int32_t *)(void *)pivots;
    int rc = NAME(rl_lu)(n, n, a, n, own, spare, &info);
    if (rc) return rc;
    for (int64_t i = 0; i < n; i++) NAME(rl_swap_rows)(x, i, own[i] - 1, n, 1, n);
    rc = NAME(rl_solve_blocks)(0, 1, n, n, a, n, 1, x, n, spare);
    return rc ? rc : NAME(rl_solve_blocks)(1, 0, n, n, a, n, 1, x, n, spare);
#endif
}

/* exp of the first of six matrices at `work`; *found is one of them. 0 or RL_NO_MEMORY. Scaling and squaring with the
 * [13/13] Pade approximant (N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM
 * J. Matrix Anal. Appl. 26, 2005, algorithm 2.3), of a lower degree for a small norm. */
static int NAME(exponential)(const task *t, char *work, T **found) {
    static const double theta[5] = {1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1, 2.097847961257068,
                                    5.371920351148152};
    static const int degrees[5] = {3, 5, 7, 9, 13};
    int64_t n = t->n, squarings = 0, size = n * n * (int64_t)sizeof(T);
    T *a = NAME(at)(piece(&work, size)), *power = NAME(at)(piece(&work, size)), *square = NAME(at)(piece(&work, size));
    T *even = NAME(at)(piece(&work, size)), *odd = NAME(at)(piece(&work, size)), *x = NAME(at)(piece(&work, size));
    T *spare = NAME(at)(piece(&work, NAME(exponential_spare)(n) * (int64_t)sizeof(T)));
    int64_t *ipiv = (int64_t *)(void *)piece(&work, n * 8);
    double norm = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += (double)ABS(a[i + j * n]);
        if (!(sum <= norm)) norm = sum;
    }
    if (!isfinite(norm)) { /* as for exp of a number that is not finite, there is no finite result */
        for (int64_t i = 0; i < n * n; i++) a[i] = (R)NAN;
        *found = a;
        return 0;
    }
    int which = 0;
    while (which < 4 && norm > theta[which]) which++;
    if (norm > theta[4]) {
        int e;
        frexp(norm / theta[4], &e);
        squarings = e;
        R scale = (R)ldexp(1.0, -e);
        for (int64_t i = 0; i < n * n; i++) a[i] *= scale;
    }
    int m = degrees[which], rc;
    /* Numerator p(a) = even + a odd, denominator p(-a) = even - a odd; c[j] = (2m - j)! m! / ((2m)! (m - j)! j!). */
    double c = 1;
    rc = NAME(square_product)(t, a, a, square);
    for (int64_t i = 0; i < n * n; i++) even[i] = odd[i] = power[i] = 0;
    for (int64_t i = 0; i < n; i++) power[i + i * n] = 1;
    for (int j = 0; j <= m; j++) {
        T *to = j % 2 ? odd : even;
        for (int64_t i = 0; i < n * n; i++) to[i] += (R)c * power[i];
        c *= (double)(m - j) / ((double)(2 * m - j) * (j + 1));
        if (j % 2 && j < m) { /* power is a^(j - 1), which served the terms j - 1 and j */
            if (rc == 0) rc = NAME(square_product)(t, power, square, x);
            T *y = power;
            power = x, x = y;
        }
    }
    if (rc == 0) rc = NAME(square_product)(t, a, odd, x);
    for (int64_t i = 0; i < n * n; i++) {
        odd[i] = even[i] - x[i];
        even[i] += x[i];
    }
    if (rc == 0) rc = NAME(square_solve)(t, odd, even, ipiv, spare);
    for (; rc == 0 && squarings > 0; squarings--) {
        rc = NAME(square_product)(t, even, even, x);
        T *y = even;
        even = x, x = y;
    }
    *found = even;
    return rc;
}

static int64_t NAME(matrix_exp_one)(const task *t, char *work, char **p) {
    if (t->n == 0) return 0;
    NAME(load)(&t->call->args[0], p[0], NAME(at)(work), t->n);
    T *found;
    int rc = NAME(exponential)(t, work, &found);
    if (rc == 0) NAME(store)(found, t->n, &t->call->args[1], p[1]);
    return rc;
}

/* The upper right block of exp [[a, e], [0, a]]. */
static int64_t NAME(matrix_exp_change_one)(const task *t, char *work, char **p) {
    int64_t n = t->n, k = n / 2;
    T *w = NAME(at)(work);
    if (n == 0) return 0;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = k; i < n; i++) w[i + j * n] = 0;
    NAME(load)(&t->call->args[0], p[0], w, n);
    NAME(load)(&t->call->args[0], p[0], w + k + k * n, n);
    NAME(load)(&t->call->args[1], p[1], w + k * n, n);
    T *found;
    int rc = NAME(exponential)(t, work, &found);
    if (rc == 0) NAME(store)(found + k * n, n, &t->call->args[2], p[2]);
    return rc;
}

static int NAME(exponential_sizes)(task *t, int64_t n) {
    t->n = n;
    wide elements = (wide)6 * n * n + NAME(exponential_spare)(n);
    t->bytes = rl_room(elements * (int64_t)sizeof(T) + (wide)n * 8 + 8 * 64);
    t->cost = 4.0 * (double)n * (double)n * (double)n + 300;
#if IS_COMPLEX
    t->fn[0] = rl_lapack_function(FN_GETRF, DTYPE);
    t->fn[1] = rl_lapack_function(FN_GEMM, DTYPE);
    t->fn[2] = rl_lapack_function(FN_TRSM, DTYPE);
    return !t->fn[0] || !t->fn[1] || !t->fn[2];
#else
    t->ours = 1;
    return 0;
#endif
}

int NAME(rl_matrix_exp_plan)(task *t) {
    t->one = NAME(matrix_exp_one);
    return NAME(exponential_sizes)(t, t->call->args[0].size[0]);
}

int NAME(rl_matrix_exp_change_plan)(task *t) {
    t->one = NAME(matrix_exp_change_one);
    return NAME(exponential_sizes)(t, 2 * t->call->args[0].size[0]);
}

