/* Family of lapack_exponential.c: the matrix exponential. */

#if IS_COMPLEX
typedef void (*NAME(gemm_fn))(int, int, int, int64_t, int64_t, int64_t, const T *, const T *, int64_t, const T *,
                              int64_t, const T *, T *, int64_t);
#define SCALAR(x) &x
#else
typedef void (*NAME(gemm_fn))(int, int, int, int64_t, int64_t, int64_t, T, const T *, int64_t, const T *, int64_t, T,
                              T *, int64_t);
#define SCALAR(x) x
#endif

static void NAME(square_product)(const task *t, const T *a, const T *b, T *c) {
    int64_t n = t->n;
    T one = 1, zero = 0;
    if (n <= 6) {
        for (int64_t i = 0; i < n * n; i++) c[i] = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < n; l++)
                for (int64_t i = 0; i < n; i++) c[i + j * n] += a[i + l * n] * b[l + j * n];
        return;
    }
    ((NAME(gemm_fn))t->fn[1])(COL_MAJOR, 111, 111, n, n, n, SCALAR(one), a, n, b, n, SCALAR(zero), c, n);
}

/* exp of the first of six matrices at `work`; the result is one of them. Scaling and squaring with the [13/13] Pade
 * approximant (N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix
 * Anal. Appl. 26, 2005, algorithm 2.3), of a lower degree for a small norm. */
static T *NAME(exponential)(const task *t, char *work) {
    static const double theta[5] = {1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1, 2.097847961257068,
                                    5.371920351148152};
    static const int degrees[5] = {3, 5, 7, 9, 13};
    int64_t n = t->n, info = 0, squarings = 0, size = n * n * (int64_t)sizeof(T);
    T *a = NAME(at)(piece(&work, size)), *power = NAME(at)(piece(&work, size)), *square = NAME(at)(piece(&work, size));
    T *even = NAME(at)(piece(&work, size)), *odd = NAME(at)(piece(&work, size)), *x = NAME(at)(piece(&work, size));
    T *spare = NAME(at)(piece(&work, 2 * size));
    int64_t *ipiv = (int64_t *)(void *)piece(&work, n * 8);
    double norm = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += (double)ABS(a[i + j * n]);
        if (!(sum <= norm)) norm = sum;
    }
    if (!isfinite(norm)) { /* as exp of a number that is not finite: there is no finite answer */
        for (int64_t i = 0; i < n * n; i++) a[i] = (R)NAN;
        return a;
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
    int m = degrees[which];
    /* Numerator p(a) = even + a odd, denominator p(-a) = even - a odd; c[j] = (2m - j)! m! / ((2m)! (m - j)! j!). */
    double c = 1;
    NAME(square_product)(t, a, a, square);
    for (int64_t i = 0; i < n * n; i++) even[i] = odd[i] = power[i] = 0;
    for (int64_t i = 0; i < n; i++) power[i + i * n] = 1;
    for (int j = 0; j <= m; j++) {
        T *to = j % 2 ? odd : even;
        for (int64_t i = 0; i < n * n; i++) to[i] += (R)c * power[i];
        c *= (double)(m - j) / ((double)(2 * m - j) * (j + 1));
        if (j % 2 && j < m) { /* power is a^(j - 1), which served the terms j - 1 and j */
            NAME(square_product)(t, power, square, x);
            T *y = power;
            power = x, x = y;
        }
    }
    NAME(square_product)(t, a, odd, x);
    for (int64_t i = 0; i < n * n; i++) {
        odd[i] = even[i] - x[i];
        even[i] += x[i];
    }
    ((NAME(getrf_fn))t->fn[0])(&n, &n, odd, &n, ipiv, &info);
    for (int64_t i = 0; i < n; i++) NAME(rl_swap_rows)(even, i, ipiv[i] - 1, 1, n, n);
    NAME(rl_solve_triangle)(t->fn[2], 0, 1, 0, n, n, odd, 1, n, even, 1, n, spare);
    NAME(rl_solve_triangle)(t->fn[2], 1, 0, 0, n, n, odd, 1, n, even, 1, n, spare);
    for (; squarings > 0; squarings--) {
        NAME(square_product)(t, even, even, x);
        T *y = even;
        even = x, x = y;
    }
    return even;
}

static int64_t NAME(matrix_exp_one)(const task *t, char *work, char **p) {
    if (t->n == 0) return 0;
    NAME(load)(&t->call->args[0], p[0], NAME(at)(work), t->n);
    NAME(store)(NAME(exponential)(t, work), t->n, &t->call->args[1], p[1]);
    return 0;
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
    NAME(store)(NAME(exponential)(t, work) + k * n, n, &t->call->args[2], p[2]);
    return 0;
}

static int NAME(exponential_sizes)(task *t, int64_t n) {
    t->n = n;
    t->bytes = rl_room((wide)8 * ((wide)n * n * (int64_t)sizeof(T) + 64) + (wide)n * 8 + 64);
    t->cost = 4.0 * (double)n * (double)n * (double)n + 300;
    t->fn[0] = rl_lapack_function(FN_GETRF, DTYPE);
    t->fn[1] = rl_lapack_function(FN_GEMM, DTYPE);
    t->fn[2] = rl_lapack_function(FN_TRSM, DTYPE);
    return !t->fn[0] || !t->fn[1] || !t->fn[2];
}

int NAME(rl_matrix_exp_plan)(task *t) {
    t->one = NAME(matrix_exp_one);
    return NAME(exponential_sizes)(t, t->call->args[0].size[0]);
}

int NAME(rl_matrix_exp_change_plan)(task *t) {
    t->one = NAME(matrix_exp_change_one);
    return NAME(exponential_sizes)(t, 2 * t->call->args[0].size[0]);
}

#undef SCALAR
