/* Family of lapack_factors.c: Cholesky, symmetric indefinite matrices. */

/* ---- Cholesky ---------------------------------------------------------------------------------------------------- */

typedef void (*NAME(potrf_fn))(const char *, const int64_t *, T *, const int64_t *, int64_t *, size_t);

/* a = l l^H in place, by rows of the lower triangle, which lie rs apart; the order of the first leading minor that is
 * not positive, or 0. */
ALWAYS_INLINE int64_t NAME(small_cholesky_body)(int64_t n, T *l, int64_t rs) {
    for (int64_t i = 0; i < n; i++) {
        T *li = l + i * rs;
        R d = REAL(li[i]);
        for (int64_t j = 0; j < i; j++) {
            const T *lj = l + j * rs;
            T x = (li[j] - NAME(inner)(j, lj, li)) / REAL(lj[j]);
            li[j] = x;
            d -= REAL(x * CONJ(x));
        }
        if (!(d > 0)) return i + 1;
        li[i] = (R)sqrt((double)d);
    }
    return 0;
}

static int64_t NAME(small_cholesky)(int64_t n, T *l, int64_t rs) {
    if (rs == n) switch (n) {
        case 2: return NAME(small_cholesky_body)(2, l, 2);
        case 3: return NAME(small_cholesky_body)(3, l, 3);
        case 4: return NAME(small_cholesky_body)(4, l, 4);
        }
    return NAME(small_cholesky_body)(n, l, rs);
}

static int64_t NAME(cholesky_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *l = &t->call->args[1];
    int64_t n = t->n, info = 0, ars = a->stride[0], acs = a->stride[1], rs = l->stride[0], cs = l->stride[1];
    T *from = NAME(at)(p[0]), *to = NAME(at)(p[1]);
    /* The upper factor is the transpose of the lower factor of the transpose. */
    if (t->call->flags & RL_UPPER) {
        int64_t x = ars;
        ars = acs, acs = x, x = rs, rs = cs, cs = x;
    }
    T local[12 * 12], *half = to;
    int64_t lrs = rs, lcs = cs;
    /* Always row-major, so that the bits are the same. */
    if (n <= 12 && cs != 1) half = local, lrs = n, lcs = 1;
    else if (n > 12 && !NAME(leading)(ROW_MAJOR, n, n, rs, cs)) half = NAME(at)(work), lrs = n, lcs = 1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) half[i * lrs + j * lcs] = from[i * ars + j * acs];
        for (int64_t j = i + 1; j < n; j++) half[i * lrs + j * lcs] = 0;
    }
    if (n <= 12) {
        info = NAME(small_cholesky)(n, half, lrs);
        if (half != to) NAME(copy)(n, n, half, lrs, lcs, to, rs, cs);
        return info;
    }
    /* LAPACK reads columns: a row-major lower triangle is the column-major upper one of the transpose, and the upper
     * factor of that is the transpose of ours. */
    int64_t ld = NAME(leading)(ROW_MAJOR, n, n, rs, cs);
    T *w = half;
    if (!ld) ld = n;
    ((NAME(potrf_fn))t->fn[0])("U", &n, w, &ld, &info, 1);
    if (w != to) NAME(copy)(n, n, w, n, 1, to, rs, cs);
    return info;
}

int NAME(rl_cholesky_plan)(task *t) {
    t->n = t->call->args[0].size[0];
    t->one = NAME(cholesky_one);
    t->bytes = rl_room(t->n > 12 ? (wide)t->n * t->n * (int64_t)sizeof(T) : 0);
    t->cost = 0.1 * (double)t->n * (double)t->n * (double)t->n + 2 * (double)t->n * (double)t->n;
    t->fn[0] = rl_lapack_function(FN_POTRF, DTYPE);
    return !t->fn[0];
}

/* ---- symmetric and Hermitian indefinite -------------------------------------------------------------------------- */

typedef void (*NAME(sytrf_fn))(const char *, const int64_t *, T *, const int64_t *, int64_t *, T *, const int64_t *,
                               int64_t *, size_t);
typedef void (*NAME(sytrs_fn))(const char *, const int64_t *, const int64_t *, const T *, const int64_t *,
                               const int64_t *, T *, const int64_t *, int64_t *, size_t);

static int64_t NAME(ldl_one)(const task *t, char *work, char **p) {
    const rl_matrix *a = &t->call->args[0], *ld = &t->call->args[1], *piv = &t->call->args[2];
    int64_t n = t->n, info = 0;
    int64_t *ipiv = (int64_t *)(void *)piece(&work, n * 8);
    T *w = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T)));
    if (n == 0) return 0;
    NAME(load)(a, p[0], w, n);
    ((NAME(sytrf_fn))t->fn[0])(t->call->flags & RL_UPPER ? "U" : "L", &n, w, &n, ipiv, NAME(at)(work), &t->lwork, &info,
                               1);
    for (int64_t j = 0; j < n; j++) /* the other triangle still holds the input */
        for (int64_t i = 0; i < n; i++)
            if (t->call->flags & RL_UPPER ? i > j : i < j) w[i + j * n] = 0;
    NAME(store)(w, n, ld, p[1]);
    for (int64_t i = 0; i < n; i++) ((int32_t *)(void *)p[2])[i * piv->stride[0]] = (int32_t)ipiv[i];
    return info;
}

int NAME(rl_ldl_plan)(task *t) {
    int64_t n = t->n = t->call->args[0].size[0], info = 0, query = -1, ld = larger(n, 1), pivot = 0;
    T size = 0, a = 0;
    t->one = NAME(ldl_one);
    if (!(t->fn[0] = rl_lapack_function(t->call->flags & RL_HERMITIAN ? FN_HETRF : FN_SYTRF, DTYPE))) return 1;
    ((NAME(sytrf_fn))t->fn[0])("L", &n, &a, &ld, &pivot, &size, &query, &info, 1);
    t->lwork = NAME(answer)(size);
    t->bytes = rl_room(((wide)n * n + t->lwork) * (int64_t)sizeof(T) + (wide)n * 8 + 192);
    t->cost = 0.2 * (double)n * (double)n * (double)n + 500;
    return 0;
}

static int64_t NAME(ldl_solve_one)(const task *t, char *work, char **p) {
    const rl_matrix *ld = &t->call->args[0], *piv = &t->call->args[1], *b = &t->call->args[2], *x = &t->call->args[3];
    int64_t n = t->n, k = t->k, info = 0;
    int64_t *ipiv = (int64_t *)(void *)piece(&work, n * 8);
    T *a = NAME(at)(piece(&work, n * n * (int64_t)sizeof(T))), *y = NAME(at)(work);
    if (n == 0 || k == 0) return 0;
    for (int64_t i = 0; i < n; i++) {
        ipiv[i] = ((int32_t *)(void *)p[1])[i * piv->stride[0]];
        if (ipiv[i] == 0 || ipiv[i] > n || ipiv[i] < -n) return i + 1;
    }
    NAME(load)(ld, p[0], a, n);
    NAME(load)(b, p[2], y, n);
    ((NAME(sytrs_fn))t->fn[0])(t->call->flags & RL_UPPER ? "U" : "L", &n, &k, a, &n, ipiv, y, &n, &info, 1);
    NAME(store)(y, n, x, p[3]);
    return 0;
}

int NAME(rl_ldl_solve_plan)(task *t) {
    const rl_matrix *b = &t->call->args[2];
    t->n = b->size[0], t->k = b->size[1];
    t->one = NAME(ldl_solve_one);
    t->bytes = rl_room(((wide)t->n * t->n + (wide)t->n * t->k) * (int64_t)sizeof(T) + (wide)t->n * 8 + 192);
    t->cost = 0.5 * (double)t->n * (double)t->n * (double)t->k + 500;
    return !(t->fn[0] = rl_lapack_function(t->call->flags & RL_HERMITIAN ? FN_HETRS : FN_SYTRS, DTYPE));
}
