#include "order.h"

#include <string.h>

enum { MOST = 128, RUN = 16, MOST_IN_ALL = 512 };

typedef struct {
    int64_t key; /* has the order of the elements, as signed integers */
    int64_t at;
} entry;

int rl_order_serves(int64_t rows, int64_t n) { return n <= MOST && rows <= MOST_IN_ALL / n; }

static int64_t key_of(int type, uint64_t bits) {
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

/* Two runs side by side, of n and m entries, into one. */
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

/* Sort e by key, equal keys in the order they come in; the result is e or `other`. */
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

void rl_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
              void *values, int64_t *at) {
    entry one[MOST], two[MOST];
    for (int64_t r = 0; r < rows; r++) {
        int64_t o = r / inner, k = r % inner, to = o * count * inner + k;
        const uint64_t *from = (const uint64_t *)x + o * n * inner + k;
        for (int64_t i = 0; i < n; i++) {
            int64_t key = key_of(type, from[i * inner]);
            one[i].key = descending ? ~key : key;
            one[i].at = i;
        }
        const entry *e = sort(one, two, n);
        for (int64_t i = 0; i < count; i++, to += inner) {
            if (values) ((uint64_t *)values)[to] = from[e[i].at * inner];
            if (at) at[to] = e[i].at;
        }
    }
}
