/* Included by turn.c once a dtype T. */

#define VECTOR ((int64_t)(32 / sizeof(T)))

static void NAME(turn_plain)(int64_t m, int64_t n, const T *from, int64_t ldf, T *to, int64_t ldt) {
    for (int64_t i0 = 0; i0 < m; i0 += 16)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = i0; i < smaller(i0 + 16, m); i++) to[j * ldt + i] = from[i * ldf + j];
}

#if defined(__x86_64__)
AVX2 static void NAME(turn_avx2)(int64_t m, int64_t n, const T *from, int64_t ldf, T *to, int64_t ldt) {
    int64_t whole = m / VECTOR * VECTOR, across = n / VECTOR * VECTOR;
    /* A few rows at a time: they may share sets of a cache. */
    for (int64_t i0 = 0; i0 < whole; i0 += 32)
        for (int64_t j = 0; j < across; j += VECTOR)
            for (int64_t i = i0; i < smaller(i0 + 32, whole); i += VECTOR)
                NAME(turn_square)(from + i * ldf + j, ldf, to + j * ldt + i, ldt);
    NAME(turn_plain)(whole, n - across, from + across, ldf, to + across * ldt, ldt);
    NAME(turn_plain)(m - whole, n, from + whole * ldf, ldf, to + whole, ldt);
}
#endif

typedef struct {
    int64_t m, n, ldf, ldt;
    const T *from;
    T *to;
} NAME(turning);

static int64_t NAME(turn_rows)(void *context, int64_t begin, int64_t end) {
    const NAME(turning) *t = context;
    const T *from = t->from + begin * CHUNK * t->ldf;
    T *to = t->to + begin * CHUNK;
    int64_t m = smaller(end * CHUNK, t->m) - begin * CHUNK;
#if defined(__x86_64__)
    if (rl_byte_level() > 0) {
        NAME(turn_avx2)(m, t->n, from, t->ldf, to, t->ldt);
        return 0;
    }
#endif
    NAME(turn_plain)(m, t->n, from, t->ldf, to, t->ldt);
    return 0;
}

void NAME(rl_turn)(int64_t m, int64_t n, const T *from, int64_t ldf, T *to, int64_t ldt, int parallel) {
    NAME(turning) t = {m, n, ldf, ldt, from, to};
    if (parallel)
        rl_work(NAME(turn_rows), &t, ceil_div(m, CHUNK), 0.2 * CHUNK * (double)n);
    else
        NAME(turn_rows)(&t, 0, ceil_div(m, CHUNK));
}

#undef T
#undef NAME
#undef VECTOR
