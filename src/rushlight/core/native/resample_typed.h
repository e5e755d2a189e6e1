/* The part of resample_numbers.c for one type, T; NAME(x) is the name of a function for it. Included by it. */

/* Number o of the result is made from count[o] numbers from first[o] on, with weights w[o * taps ...]. */
typedef struct {
    int64_t out, taps;
    int64_t *first, *count;
    T *w;
    size_t bytes;
} NAME(table);

static int NAME(make_table)(NAME(table) * t, int64_t out, int64_t taps) {
    int64_t weights, all;
    if (rl_times(out, taps, &weights) || rl_times(weights + 2 * out, 8, &all)) return RL_NO_MEMORY;
    t->out = out, t->taps = taps, t->bytes = (size_t)all;
    t->first = rl_alloc(t->bytes);
    if (!t->first) return RL_NO_MEMORY;
    t->count = t->first + out, t->w = (T *)(t->count + out);
    return 0;
}

static T NAME(sinc)(T x) { return x == 0 ? 1 : SIN(PI * x) / (PI * x); }

/* A triangle, cubic convolution with parameter a, or Lanczos' filter. Here and below products are added with one
 * rounding, lines are filtered from their first number on, and dims from the last on, so that float32 pixels round to
 * the same bytes as PyTorch's. */
FUSED static T NAME(filter)(T t, int reach) {
    const T a = (T)-0.5;
    if (reach == 1) return t < 1 ? 1 - t : 0;
    if (reach == 3) return t < 3 ? NAME(sinc)(t) * NAME(sinc)(t / 3) : 0;
    if (t < 1) return FMA(FMA(a + 2, t, -(a + 3)) * t, t, 1);
    return t < 2 ? FMA(FMA(t - 5, t, 8), t, -4) * a : 0;
}

/* Filters as wide as the step, each with a sum of 1; everything is computed in T, in which PyTorch computes the places,
 * too. */
static int NAME(filters)(NAME(table) * t, int64_t n, int64_t out, T step, int steps) {
    const int stays = n == out && step == 1; /* neighbours with a weight of 0 matter if not finite */
    T unit = step > 1 ? step : 1, scale = 1 / unit, reach = unit * (T)steps;
    int64_t taps = reach < (T)n ? 2 * (int64_t)CEIL(reach) + 1 : n;
    if (NAME(make_table)(t, out, taps < n ? taps : n)) return RL_NO_MEMORY;
    for (int64_t o = 0; o < out; o++) {
        T centre = ((T)o + (T)0.5) * step, total = 0, from = centre - reach + (T)0.5, to = centre + reach + (T)0.5;
        int64_t low = from > 0 ? from < (T)n ? (int64_t)from : n : 0, high = to < (T)n ? (int64_t)to : n;
        T *row = t->w + o * t->taps;
        if (stays) low = o, high = o + 1;
        if (high > low + t->taps) high = low + t->taps;
        for (int64_t i = low; i < high; i++) {
            row[i - low] = NAME(filter)(FABS(((T)i - centre + (T)0.5) * scale), steps);
            total += row[i - low];
        }
        t->first[o] = low;
        t->count[o] = high > low ? high - low : 0;
        if (total != 0)
            for (int64_t k = 0; k < t->count[o]; k++) row[k] /= total;
    }
    return 0;
}

/* The table of the transpose: number i of n contributes to a run of numbers, since first and last increase. */
static int NAME(turn)(const NAME(table) * t, int64_t n, NAME(table) * to) {
    int64_t taps = 0, begin = 0, end = 0;
    for (int64_t i = 0; i < n; i++) {
        while (end < t->out && t->first[end] <= i) end++;
        while (begin < end && t->first[begin] + t->count[begin] <= i) begin++;
        taps = end - begin > taps ? end - begin : taps;
    }
    if (NAME(make_table)(to, n, taps)) return RL_NO_MEMORY;
    begin = end = 0;
    for (int64_t i = 0; i < n; i++) {
        while (end < t->out && t->first[end] <= i) end++;
        while (begin < end && t->first[begin] + t->count[begin] <= i) begin++;
        to->first[i] = begin, to->count[i] = end - begin;
        for (int64_t o = begin; o < end; o++) {
            int64_t k = i - t->first[o];
            to->w[i * taps + o - begin] = k < t->count[o] ? t->w[o * t->taps + k] : 0;
        }
    }
    return 0;
}

/* LANES lines of numbers `inner` apart, side by side: line l begins at x + at[l]. */
FUSED static void NAME(lines)(const NAME(table) * t, const T *x, int64_t n, const int64_t *at, T *y, const int64_t *to,
                               int64_t lines, int64_t inner, T *restrict side) {
    for (int64_t l = 0; l < lines; l++)
        for (int64_t i = 0; i < n; i++) side[i * LANES + l] = x[at[l] + i * inner];
    for (int64_t o = 0; o < t->out; o++) {
        const T *from = side + t->first[o] * LANES, *w = t->w + o * t->taps;
        T total[LANES] = {0};
        for (int64_t k = 0; k < t->count[o]; k++)
            for (int64_t l = 0; l < LANES; l++) total[l] = FMA(w[k], from[k * LANES + l], total[l]);
        for (int64_t l = 0; l < lines; l++) y[to[l] + o * inner] = total[l];
    }
}

static int64_t NAME(line_items)(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_resample_numbers *c = j->call;
    const NAME(table) *t = j->table;
    size_t bytes = (size_t)c->n * LANES * sizeof(T);
    T *side = rl_alloc(bytes);
    if (!side) return RL_NO_MEMORY;
    memset(side, 0, bytes); /* if there are fewer lines, the others are computed, too */
    for (int64_t b = begin; b < end; b++) {
        int64_t at[LANES], to[LANES], lines = 0;
        for (int64_t r = b * LANES; r < (b + 1) * LANES && r < c->outer * c->inner; r++, lines++) {
            at[lines] = r / c->inner * c->n * c->inner + r % c->inner;
            to[lines] = r / c->inner * t->out * c->inner + r % c->inner;
        }
        NAME(lines)(t, c->x, c->n, at, c->y, to, lines, c->inner, side);
    }
    rl_free(side, bytes);
    return 0;
}

/* A row of the result from `count` consecutive rows. */
FUSED static void NAME(row)(const T *restrict x, int64_t count, const T *w, int64_t n, T *restrict y) {
    enum { BLOCK = 64 };
    for (int64_t i = 0; i < n; i += BLOCK) {
        T total[BLOCK] = {0};
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (m == BLOCK)
            for (int64_t k = 0; k < count; k++)
                for (int64_t d = 0; d < BLOCK; d++) total[d] = FMA(w[k], x[k * n + i + d], total[d]);
        else
            for (int64_t k = 0; k < count; k++)
                for (int64_t d = 0; d < m; d++) total[d] = FMA(w[k], x[k * n + i + d], total[d]);
        for (int64_t d = 0; d < m; d++) y[i + d] = total[d];
    }
}

static int64_t NAME(row_items)(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_resample_numbers *c = j->call;
    const NAME(table) *t = j->table;
    for (int64_t r = begin; r < end; r++) {
        int64_t plane = r / t->out, o = r % t->out;
        const T *x = (const T *)c->x + (plane * c->n + t->first[o]) * c->inner;
        NAME(row)(x, t->count[o], t->w + o * t->taps, c->inner, (T *)c->y + r * c->inner);
    }
    return 0;
}

static int64_t NAME(run)(const rl_resample_numbers *c) {
    NAME(table) filters = {0}, turned = {0};
    int64_t n = c->turned ? c->out : c->n, out = c->turned ? c->n : c->out;
    int64_t rc = NAME(filters)(&filters, n, out, (T)c->step, c->reach);
    if (rc == 0 && c->turned) rc = NAME(turn)(&filters, n, &turned);
    if (rc == 0) {
        const NAME(table) *t = c->turned ? &turned : &filters;
        job j = {.call = c, .table = t};
        int in_lines = c->inner < LANES;
        int64_t items = in_lines ? (c->outer * c->inner + LANES - 1) / LANES : c->outer * c->out;
        double cost = in_lines ? LANES * ((double)c->n + (double)c->out * (double)t->taps / 4)
                               : (double)c->inner * ((double)t->taps + 1);
        int64_t grain = (int64_t)(SHARED_FROM / cost) + 1;
        rc = rl_parallel_for(in_lines ? NAME(line_items) : NAME(row_items), &j, items, grain);
    }
    if (turned.first) rl_free(turned.first, turned.bytes);
    if (filters.first) rl_free(filters.first, filters.bytes);
    return rc;
}

#undef T
#undef NAME
#undef CEIL
#undef FABS
#undef SIN
#undef PI
#undef FMA
