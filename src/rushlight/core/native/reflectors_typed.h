/* Included by reflectors.c once a dtype T. */

#define LANES ((int64_t)(64 / sizeof(T)))
typedef T NAME(vector) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));

/* ---- a panel ----------------------------------------------------------------------------------------------------- */

/* The sum of a vector's lanes, in pairs. */
ALWAYS_INLINE T NAME(sum_lanes)(const NAME(vector) *v) {
    T lane[LANES];
    memcpy(lane, v, sizeof lane);
    for (int64_t half = LANES / 2; half; half /= 2)
        for (int64_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* The sum of squares of x[begin:n], behind which lies a vector of zeros. */
ALWAYS_INLINE T NAME(squares)(int64_t begin, int64_t n, const T *x) {
    NAME(vector) sum = {0};
    for (int64_t i = begin; i < n; i += LANES) {
        NAME(vector) v = *(const NAME(vector) *)(x + i);
        sum += v * v;
    }
    return NAME(sum_lanes)(&sum);
}

/* The reflector of x[j:n], behind which lies a vector of zeros: x[j] becomes beta, what follows becomes v, whose first
 * element is 1; returns tau. (I - tau v v^T) x = beta e, and beta has the sign that x[j] has not: LAPACK's choice. */
ALWAYS_INLINE T NAME(reflector)(int64_t j, int64_t n, T *x) {
    const T least = sizeof(T) == 4 ? (T)1e-24 : (T)1e-270, most = sizeof(T) == 4 ? (T)1e37 : (T)1e300;
    T tail = NAME(squares)(j + 1, n, x), all = x[j] * x[j] + tail;
    int power = 0;
    if (tail == 0) {
        int64_t i = j + 1;
        while (i < n && x[i] == 0) i++;
        if (i == n) return 0;
    }
    if (!(all > least && all < most)) { /* scaled by a power of two, so that no square overflows or vanishes */
        T largest = 0;
        for (int64_t i = j; i < n; i++) largest = ABS(x[i]) > largest ? ABS(x[i]) : largest;
        if (isfinite(largest)) {
            frexp((double)largest, &power);
            for (int64_t i = j; i < n; i++) x[i] = (T)ldexp((double)x[i], -power);
            all = x[j] * x[j] + NAME(squares)(j + 1, n, x);
        }
    }
    T norm = (T)sqrt((double)all), beta = x[j] >= 0 ? -norm : norm;
    T tau = (beta - x[j]) / beta, first = x[j] - beta;
    for (int64_t i = j + 1; i < n; i += LANES) *(NAME(vector) *)(x + i) /= first;
    x[j] = (T)ldexp((double)beta, power);
    return tau;
}

/* w columns, side by side: x -= tau v (v^T x), where v[j] counts as 1. */
ALWAYS_INLINE void NAME(reflect)(int64_t w, int64_t j, int64_t n, const T *v, T tau, T *x, int64_t apart) {
    NAME(vector) sum[FEW] = {0};
    T f[FEW];
    for (int64_t i = j + 1; i < n; i += LANES) {
        NAME(vector) y = *(const NAME(vector) *)(v + i);
#pragma GCC unroll 4
        for (int64_t c = 0; c < w; c++) sum[c] += y * *(const NAME(vector) *)(x + c * apart + i);
    }
#pragma GCC unroll 4
    for (int64_t c = 0; c < w; c++) {
        f[c] = tau * (x[c * apart + j] + NAME(sum_lanes)(&sum[c]));
        x[c * apart + j] -= f[c];
    }
    for (int64_t i = j + 1; i < n; i += LANES) {
        NAME(vector) y = *(const NAME(vector) *)(v + i);
#pragma GCC unroll 4
        for (int64_t c = 0; c < w; c++) *(NAME(vector) *)(x + c * apart + i) -= f[c] * y;
    }
}

/* Factor w columns of n >= w elements, which are rows here. */
ALWAYS_INLINE void NAME(panel_body)(int64_t w, int64_t n, T *rows, int64_t apart, T *tau) {
    for (int64_t j = 0; j < w; j++) {
        T *v = rows + j * apart;
        tau[j] = NAME(reflector)(j, n, v);
        int64_t c = j + 1;
        if (tau[j] == 0) continue;
        for (; c + FEW <= w; c += FEW) NAME(reflect)(FEW, j, n, v, tau[j], rows + c * apart, apart);
        for (; c < w; c++) NAME(reflect)(1, j, n, v, tau[j], rows + c * apart, apart);
    }
}

WIDE static void NAME(panel_512)(int64_t w, int64_t n, T *rows, int64_t apart, T *tau) {
    NAME(panel_body)(w, n, rows, apart, tau);
}
AVX2 static void NAME(panel_256)(int64_t w, int64_t n, T *rows, int64_t apart, T *tau) {
    NAME(panel_body)(w, n, rows, apart, tau);
}
static void NAME(panel_128)(int64_t w, int64_t n, T *rows, int64_t apart, T *tau) {
    NAME(panel_body)(w, n, rows, apart, tau);
}

/* ---- several reflectors at once ---------------------------------------------------------------------------------- */

int NAME(rl_reflect_together)(int transposed, int64_t w, int64_t length, const T *rows, const T *tau, int64_t n, T *z,
                              int64_t ldz, T *work) {
    enum { W = RL_TOGETHER };
    const int64_t apart = rl_row_apart(length + RL_BEHIND);
    T *changes = work, *columns = changes + W * apart, *product = columns + length * W, *inner = product + n * W;
    T *t = inner + W * W;
    NAME(rl_turn)(w, length, rows, apart, columns, W, 0);
    int rc = NAME(rl_product_of)(0, w, w, length, rows, apart, 1, columns, W, inner, W);
    if (rc) return rc;
    /* -t^T, by rows: row i is -tau[i] (e_i - the sum over l < i of inner[l, i] times row l of t^T). */
    for (int64_t i = 0; i < w; i++)
        for (int64_t l = 0; l < w; l++) {
            T sum = 0;
            for (int64_t r = l; r < i; r++) sum += inner[r * W + i] * t[r * W + l];
            t[i * W + l] = l < i ? -tau[i] * sum : l == i ? -tau[i] : 0;
        }
    /* A column of z is a row here, and each row times q is q^T times the column. */
    rc = transposed ? NAME(rl_product_of)(0, w, length, w, t, 1, W, rows, apart, changes, apart)
                    : NAME(rl_product_of)(0, w, length, w, t, W, 1, rows, apart, changes, apart);
    if (rc == 0) rc = NAME(rl_product_of)(0, n, w, length, z, ldz, 1, columns, W, product, W);
    return rc ? rc : NAME(rl_product_of)(1, n, length, w, product, W, 1, changes, apart, z, ldz);
}

/* Column i of v, i < w, from below the diagonal of a: row i of `rows`. */
static void NAME(unpack)(int64_t w, int64_t length, const T *a, int64_t ld, T *rows) {
    const int64_t apart = rl_row_apart(length + RL_BEHIND);
    for (int64_t i = 0; i < w; i++) {
        T *v = rows + i * apart;
        memset(v, 0, (size_t)i * sizeof(T));
        memcpy(v + i, a + i * ld + i, (size_t)(length - i) * sizeof(T));
        v[i] = 1;
    }
}

int NAME(rl_factor_columns)(int64_t m, int64_t n, int64_t k, T *a, int64_t ld, T *tau, T *work) {
    int level = rl_byte_level();
    T *rows = work, *rest = work + RL_TOGETHER * rl_row_apart(m + RL_BEHIND);
    for (int64_t j = 0; j < smaller(m, k); j += RL_TOGETHER) {
        int64_t w = smaller(RL_TOGETHER, smaller(m, k) - j), length = m - j;
        const int64_t apart = rl_row_apart(length + RL_BEHIND);
        T *panel = a + j * (ld + 1);
        for (int64_t i = 0; i < w; i++) {
            memcpy(rows + i * apart, panel + i * ld, (size_t)length * sizeof(T));
            memset(rows + i * apart + length, 0, (size_t)(apart - length) * sizeof(T));
        }
        (level == 2   ? NAME(panel_512)
         : level == 1 ? NAME(panel_256)
                      : NAME(panel_128))(w, length, rows, apart, tau + j);
        for (int64_t i = 0; i < w; i++) memcpy(panel + i * ld, rows + i * apart, (size_t)length * sizeof(T));
        if (n == j + w) break;
        NAME(unpack)(w, length, panel, ld, rows);
        int rc = NAME(rl_reflect_together)(1, w, length, rows, tau + j, n - j - w, panel + w * ld, ld, rest);
        if (rc) return rc;
    }
    return 0;
}

int NAME(rl_multiply_reflected)(int identity, int64_t m, int64_t k, const T *a, int64_t ld, const T *tau, int64_t n,
                                T *z, int64_t ldz, T *work) {
    T *rest = work + RL_TOGETHER * rl_row_apart(m + RL_BEHIND);
    for (int64_t j = (k - 1) / RL_TOGETHER * RL_TOGETHER; k > 0 && j >= 0; j -= RL_TOGETHER) {
        int64_t w = smaller(RL_TOGETHER, k - j), first = identity ? j : 0;
        if (first >= n) continue;
        NAME(unpack)(w, m - j, a + j * (ld + 1), ld, work);
        int rc = NAME(rl_reflect_together)(0, w, m - j, work, tau + j, n - first, z + first * ldz + j, ldz, rest);
        if (rc) return rc;
    }
    return 0;
}

#undef T
#undef NAME
#undef ABS
#undef LANES
