#include "order.h"

#include <string.h>

#include "alloc.h"
#include "pool.h"

enum {
    MOST = 128,
    RUN = 16,
    MOST_IN_ALL = 512,
    FEW = 32, /* elements that are ordered by counting, for each, those before it: without a branch */
    FEW_KEYS = 8 /* for more, NumPy's vectorized sort is quicker */
};

typedef struct {
    int64_t key; /* as signed integers, keys have the order of the elements */
    int64_t at;
} entry;

static inline int64_t key_of(int type, uint64_t bits) {
    if (type == RL_ORDER_I64) return (int64_t)bits;
    if (type == RL_ORDER_U64) return (int64_t)(bits ^ (uint64_t)1 << 63);
    double x;
    memcpy(&x, &bits, 8);
    if (x != x) return INT64_MAX;
    x += 0.0; /* -0.0 equals 0.0 */
    int64_t key;
    memcpy(&key, &x, 8);
    return key < 0 ? key ^ INT64_MAX : key;
}

static void insert(entry *e, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        entry x = e[i];
        int64_t j = i;
        for (; j > 0 && e[j - 1].key > x.key; j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

/* Merge two neighbouring runs of n and m entries. */
static void merge(const entry *a, int64_t n, const entry *b, int64_t m, entry *to) {
    const entry *a_end = a + n, *b_end = b + m;
    while (a < a_end && b < b_end) {
        int second = b->key < a->key;
        *to++ = *(second ? b : a);
        b += second, a += !second;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof(entry));
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(entry));
}

/* Sort e by key, with equal keys in their order; the result is in e or `other`. */
static entry *sort(entry *e, entry *other, int64_t n) {
    for (int64_t i = 0; i < n; i += RUN) insert(e + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t first = n - i < run ? n - i : run, second = n - i - first < run ? n - i - first : run;
            merge(e + i, first, e + i + first, second, other + i);
        }
        entry *sorted = other;
        other = e, e = sorted;
    }
    return e;
}

/* ---- the least of many keys ------------------------------------------------------------------------------------- */

enum {
    LEAST_MOST = 64, /* for more keys NumPy's vectorized sort is quicker on one thread */
    HELD = 2 * LEAST_MOST,
    FIRST_HELD = 64, /* twice as many for more than half of that */
    BESIDE = 8,      /* neighbouring rows whose elements share a cache line */
    SHORT = 16       /* keys that are put in order by insertion */
};

static void insert_keys(int64_t *a, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        int64_t x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

static void swap_keys(int64_t *a, int64_t *b) {
    int64_t x = *a;
    *a = *b, *b = x;
}

/* Partition n >= 3 keys by the median of three, with smaller ones before it; returns its index. */
static int64_t split_keys(int64_t *a, int64_t n) {
    int64_t middle = n / 2, last = n - 1, m = 0;
    if (a[middle] < a[0]) swap_keys(a, a + middle);
    if (a[last] < a[0]) swap_keys(a, a + last);
    if (a[middle] < a[last]) swap_keys(a + middle, a + last);
    int64_t pivot = a[last];
    for (int64_t i = 0; i < last; i++) {
        int64_t x = a[i];
        a[i] = a[m], a[m] = x;
        m += x < pivot;
    }
    swap_keys(a + m, a + last);
    return m;
}

/* Move the `count` smallest of n keys to the front, in any order. */
static void bring_least(int64_t *a, int64_t n, int64_t count) {
    while (n > SHORT) {
        int64_t m = split_keys(a, n);
        if (m == count || m + 1 == count) return;
        if (m > count) {
            n = m;
        } else {
            a += m + 1, n -= m + 1, count -= m + 1;
        }
    }
    insert_keys(a, n);
}

static void order_keys(int64_t *a, int64_t n) {
    while (n > SHORT) {
        int64_t m = split_keys(a, n);
        order_keys(a, m);
        a += m + 1, n -= m + 1;
    }
    insert_keys(a, n);
}

/* The keys of a row that may be among the smallest: those below `bound`, the largest of as many as are wanted. */
typedef struct {
    int64_t key[HELD + 1]; /* a key that is not taken is written to the last place */
    int64_t n, bound;
} candidates;

static void drop(candidates *c, int64_t count) {
    bring_least(c->key, c->n, count);
    c->n = count, c->bound = c->key[0];
    for (int64_t i = 1; i < count; i++) c->bound = c->key[i] > c->bound ? c->key[i] : c->bound;
}

/* Add n keys, for which there is room. */
static void take(candidates *c, const int64_t *x, int64_t n) {
    int64_t held = c->n, bound = c->bound;
    for (int64_t i = 0; i < n; i++) {
        int64_t key = x[i];
        c->key[held] = key, held += key < bound;
    }
    c->n = held;
}

typedef struct {
    int64_t n, inner, count, blocks;
    const int64_t *x;
    int64_t *least;
} least_ctx;

/* An item: up to BESIDE rows side by side. */
static int64_t least_of_rows(void *context, int64_t begin, int64_t end) {
    const least_ctx *c = context;
    candidates held[BESIDE];
    int64_t room = c->count > FIRST_HELD / 2 ? 2 * c->count : FIRST_HELD;
    for (int64_t item = begin; item < end; item++) {
        int64_t o = item / c->blocks, k = item % c->blocks * BESIDE;
        int64_t rows = c->inner - k < BESIDE ? c->inner - k : BESIDE;
        const int64_t *x = c->x + o * c->n * c->inner + k;
        int64_t *to = c->least + o * c->count * c->inner + k;
        for (int64_t r = 0; r < rows; r++) held[r].n = 0, held[r].bound = INT64_MAX;
        for (int64_t i = 0; i < c->n;) {
            int64_t most = 0;
            for (int64_t r = 0; r < rows; r++) most = held[r].n > most ? held[r].n : most;
            int64_t stop = c->n - i < room - most ? c->n : i + room - most;
            if (c->inner == 1) {
                take(&held[0], x + i, stop - i), i = stop;
            } else {
                for (; i < stop; i++)
                    for (int64_t r = 0; r < rows; r++) {
                        int64_t key = x[i * c->inner + r];
                        held[r].key[held[r].n] = key, held[r].n += key < held[r].bound;
                    }
            }
            for (int64_t r = 0; r < rows; r++)
                if (held[r].n == room) drop(&held[r], c->count);
        }
        for (int64_t r = 0; r < rows; r++) {
            bring_least(held[r].key, held[r].n, c->count);
            order_keys(held[r].key, c->count);
            for (int64_t i = 0; i < c->count; i++) to[i * c->inner + r] = held[r].key[i];
        }
    }
    return 0;
}

int rl_least_serves(int64_t n, int64_t count) {
    return count > 0 && count <= LEAST_MOST && count <= n / 2 && n <= INT32_MAX; /* a key's index has 32 bits */
}

void rl_least(int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t *x, int64_t *least) {
    least_ctx c = {n, inner, count, (inner + BESIDE - 1) / BESIDE, x, least};
    rl_work(least_of_rows, &c, outer * c.blocks, (double)n * (inner < BESIDE ? inner : BESIDE));
}

/* ---- the first of rows ------------------------------------------------------------------------------------------ */

static int is_short(int64_t rows, int64_t n) { return n <= MOST && rows <= MOST_IN_ALL / n; }

int rl_order_serves(int64_t rows, int64_t n, int64_t count) {
    if (count == 0) return n <= FEW_KEYS || is_short(rows, n);
    return n <= MOST || (count <= LEAST_MOST && count <= n / 2);
}

typedef struct {
    int type, descending;
    int64_t n, inner, count;
    const uint64_t *x;
    uint64_t *values;
    int64_t *at;
} first_ctx;

/* A row of n <= FEW elements. */
static inline void few_of_row(const first_ctx *c, int type, int64_t turn, int64_t n, int64_t r) {
    int64_t inner = c->inner, count = c->count, o = r / inner, k = r % inner, to = o * count * inner + k;
    const uint64_t *from = c->x + o * n * inner + k;
    int64_t key[FEW], before[FEW];
    for (int64_t i = 0; i < n; i++) {
        int64_t x = key_of(type, from[i * inner]) ^ turn, found = 0;
        for (int64_t j = 0; j < i; j++) {
            int64_t behind = key[j] > x;
            before[j] += behind, found += !behind;
        }
        key[i] = x, before[i] = found;
    }
    for (int64_t i = 0; i < n; i++) {
        if (before[i] >= count) continue;
        if (c->values) c->values[to + before[i] * inner] = from[i * inner];
        if (c->at) c->at[to + before[i] * inner] = i;
    }
}

static inline void few_of_rows(const first_ctx *c, int type, int64_t n, int64_t begin, int64_t end) {
    int64_t turn = c->descending ? -1 : 0;
    for (int64_t r = begin; r < end; r++) few_of_row(c, type, turn, n, r);
}

static int64_t rows_of_few(void *context, int64_t begin, int64_t end) {
    const first_ctx *c = context;
    if (c->type == RL_ORDER_U64)
        few_of_rows(c, RL_ORDER_U64, c->n, begin, end);
    else if (c->type == RL_ORDER_F64)
        few_of_rows(c, RL_ORDER_F64, c->n, begin, end);
    else if (c->n == 2) /* written out: most rows are so short that a loop's end is mispredicted */
        few_of_rows(c, RL_ORDER_I64, 2, begin, end);
    else if (c->n == 3)
        few_of_rows(c, RL_ORDER_I64, 3, begin, end);
    else if (c->n == 4)
        few_of_rows(c, RL_ORDER_I64, 4, begin, end);
    else
        few_of_rows(c, RL_ORDER_I64, c->n, begin, end);
    return 0;
}

/* A row of n <= MOST elements. */
static int64_t short_rows(void *context, int64_t begin, int64_t end) {
    const first_ctx *c = context;
    entry one[MOST], two[MOST];
    int64_t n = c->n, inner = c->inner, turn = c->descending ? -1 : 0;
    for (int64_t r = begin; r < end; r++) {
        int64_t o = r / inner, k = r % inner, to = o * c->count * inner + k;
        const uint64_t *from = c->x + o * n * inner + k;
        for (int64_t i = 0; i < n; i++) one[i].key = key_of(c->type, from[i * inner]) ^ turn, one[i].at = i;
        const entry *e = sort(one, two, n);
        for (int64_t i = 0; i < c->count; i++, to += inner) {
            if (c->values) c->values[to] = from[e[i].at * inner];
            if (c->at) c->at[to] = e[i].at;
        }
    }
    return 0;
}

/* A row: first its key number `count`, then the elements up to that, of those that equal it the first ones. */
static inline void first_of_row(const first_ctx *c, int type, int64_t turn, int64_t r) {
    int64_t o = r / c->inner, k = r % c->inner, n = c->n, inner = c->inner, count = c->count;
    const uint64_t *from = c->x + o * n * inner + k;
    int64_t room = count > FIRST_HELD / 2 ? 2 * count : FIRST_HELD;
    candidates held = {.n = 0, .bound = INT64_MAX};
    for (int64_t i = 0; i < n;) {
        int64_t stop = n - i < room - held.n ? n : i + room - held.n, found = held.n, bound = held.bound;
        for (; i < stop; i++) {
            int64_t key = key_of(type, from[i * inner]) ^ turn;
            held.key[found] = key, found += key < bound;
        }
        held.n = found;
        if (found == room) drop(&held, count);
    }
    int64_t last = INT64_MAX, equal = count - held.n;
    if (equal <= 0) {
        bring_least(held.key, held.n, count);
        last = INT64_MIN, equal = 0;
        for (int64_t i = 0; i < count; i++) last = held.key[i] > last ? held.key[i] : last;
        for (int64_t i = 0; i < count; i++) equal += held.key[i] == last;
    }
    entry one[LEAST_MOST], two[LEAST_MOST];
    for (int64_t i = 0, m = 0; m < count; i++) {
        int64_t key = key_of(type, from[i * inner]) ^ turn;
        if (key > last || (key == last && equal-- <= 0)) continue;
        one[m].key = key, one[m++].at = i;
    }
    const entry *e = sort(one, two, count);
    for (int64_t i = 0, to = o * count * inner + k; i < count; i++, to += inner) {
        if (c->values) c->values[to] = from[e[i].at * inner];
        if (c->at) c->at[to] = e[i].at;
    }
}

static int64_t first_of_rows(void *context, int64_t begin, int64_t end) {
    const first_ctx *c = context;
    int64_t turn = c->descending ? -1 : 0;
    for (int64_t r = begin; r < end; r++) {
        if (c->type == RL_ORDER_I64)
            first_of_row(c, RL_ORDER_I64, turn, r);
        else if (c->type == RL_ORDER_U64)
            first_of_row(c, RL_ORDER_U64, turn, r);
        else
            first_of_row(c, RL_ORDER_F64, turn, r);
    }
    return 0;
}

/* ---- whole rows ------------------------------------------------------------------------------------------------- */

enum { DIGIT = 8, PLACES = 1 << DIGIT, DIGITS = 4, NS_AN_ELEMENT = 12 };

/* How far a key is above the least one. */
static inline uint64_t above(const entry *e, int64_t low) { return (uint64_t)e->key - (uint64_t)low; }

/* Sort runs of entries whose keys agree but for the low `shift` bits. */
static void sort_runs(entry *e, entry *other, int64_t n, int64_t low, int shift) {
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && above(e + i, low) >> shift == above(e + j, low) >> shift;) j++;
        int64_t m = j - i;
        if (m <= RUN) {
            insert(e + i, m);
        } else {
            const entry *sorted = sort(e + i, other + i, m);
            if (sorted != e + i) memcpy(e + i, sorted, (size_t)m * sizeof(entry));
        }
    }
}

/* Sort n < 2^32 entries by key, with equal keys in their order, digit by digit from the least; the result is in e or
 * `other`. Digits are those of how far keys are above the least one, and the first DIGITS of them do: few keys agree in
 * all of these. */
static entry *radix_sort(entry *e, entry *other, int64_t n) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t i = 0; i < n; i++) {
        int64_t key = e[i].key;
        low = key < low ? key : low, high = key > high ? key : high;
    }
    if (low == high) return e;
    int bits = 64 - __builtin_clzll((uint64_t)high - (uint64_t)low);
    int shift = bits > DIGITS * DIGIT ? bits - DIGITS * DIGIT : 0;
    int digits = (bits - shift + DIGIT - 1) / DIGIT;
    uint32_t places[DIGITS][PLACES] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = above(e + i, low) >> shift;
        for (int d = 0; d < digits; d++) places[d][key >> d * DIGIT & (PLACES - 1)]++;
    }
    for (int d = 0; d < digits; d++) {
        uint32_t *place = places[d], sum = 0;
        int from = shift + d * DIGIT;
        if (place[0] == n) continue; /* one digit of all keys: the least one's is 0 */
        for (int k = 0; k < PLACES; k++) {
            uint32_t count = place[k];
            place[k] = sum, sum += count;
        }
        for (int64_t i = 0; i < n; i++) other[place[above(e + i, low) >> from & (PLACES - 1)]++] = e[i];
        entry *sorted = other;
        other = e, e = sorted;
    }
    if (shift) sort_runs(e, other, n, low, shift);
    return e;
}

static int64_t sort_rows(void *context, int64_t begin, int64_t end) {
    const first_ctx *c = context;
    int64_t n = c->n, inner = c->inner, turn = c->descending ? -1 : 0;
    size_t bytes = 2 * (size_t)n * sizeof(entry);
    entry *room = rl_alloc(bytes);
    if (!room) return RL_ORDER_NO_MEMORY;
    for (int64_t r = begin; r < end; r++) {
        int64_t o = r / inner, k = r % inner;
        const uint64_t *from = c->x + o * n * inner + k;
        for (int64_t i = 0; i < n; i++) {
            room[i].key = key_of(c->type, from[i * inner]) ^ turn;
            room[i].at = i;
        }
        const entry *e = radix_sort(room, room + n, n);
        for (int64_t i = 0, to = o * c->count * inner + k; i < c->count; i++, to += inner) {
            if (c->values) c->values[to] = from[e[i].at * inner];
            if (c->at) c->at[to] = e[i].at;
        }
    }
    rl_free(room, bytes);
    return 0;
}

int rl_sort_serves(int64_t n) { return n <= UINT32_MAX; }

int64_t rl_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
                 void *values, int64_t *at) {
    first_ctx c = {type, descending, n, inner, count, x, values, at};
    int some = count > 0 && count <= LEAST_MOST && count <= n / 2 && !is_short(rows, n);
    if (n <= FEW) return rl_work(rows_of_few, &c, rows, 2.0 * (double)n);
    if (some) return rl_work(first_of_rows, &c, rows, 2.0 * (double)n);
    if (n <= MOST) return rl_work(short_rows, &c, rows, 10.0 * (double)n);
    return rl_work(sort_rows, &c, rows, NS_AN_ELEMENT * (double)n);
}

/* ---- keys of few values ----------------------------------------------------------------------------------------- */

/* Sort n keys by KEY_DIGIT bits of (key >> 32) - low from bit `shift` on; equal ones keep their order. */
enum { KEY_DIGIT = 11, KEY_DIGITS = 2 };
static void by_digit(const int64_t *x, int64_t n, int64_t low, int shift, int64_t *to) {
    int64_t at[1 << KEY_DIGIT] = {0}, mask = (1 << KEY_DIGIT) - 1, sum = 0;
    for (int64_t i = 0; i < n; i++) at[((x[i] >> 32) - low) >> shift & mask]++;
    for (int64_t d = 0; d <= mask; d++) {
        int64_t count = at[d];
        at[d] = sum, sum += count;
    }
    for (int64_t i = 0; i < n; i++) to[at[((x[i] >> 32) - low) >> shift & mask]++] = x[i];
}

int rl_order_by_counting(int64_t n, const int64_t *x, int64_t *to) {
    int64_t low = INT64_MAX, high = INT64_MIN, wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t key = x[i] >> 32;
        low = key < low ? key : low, high = key > high ? key : high;
        wrong |= (x[i] & UINT32_MAX) ^ i;
    }
    if (n == 0 || wrong || high - low >= (int64_t)1 << KEY_DIGITS * KEY_DIGIT) return 1;
    if (high - low < 1 << KEY_DIGIT) {
        by_digit(x, n, low, 0, to);
        return 0;
    }
    int64_t *half = rl_alloc((size_t)n * sizeof *half);
    if (!half) return 1;
    by_digit(x, n, low, 0, half);
    by_digit(half, n, low, KEY_DIGIT, to);
    rl_free(half, (size_t)n * sizeof *half);
    return 0;
}
