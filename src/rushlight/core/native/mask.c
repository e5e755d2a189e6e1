#include "mask.h"

#include <string.h>

#include "integers.h"
#include "pool.h"

enum { MAX_DIMS = 64 };

typedef struct {
    const uint8_t *mask;
    int64_t n;
    int64_t *counts;
    const int64_t *starts;
    int ndim;
    const int64_t *sizes;
    int64_t *const *places;
    int64_t step;
    const char *x;
    const int64_t *stride;
    int64_t item;
    char *out;
} job;

int64_t rl_mask_chunks(int64_t n) { return n <= RL_MASK_CHUNK ? 1 : (n - 1) / RL_MASK_CHUNK + 1; }

/* ---- counting --------------------------------------------------------------------------------------------------- */

static int64_t count_range(const uint8_t *m, int64_t n) {
    int64_t total = 0, i = 0;
    for (; i + 128 <= n; i += 128) { /* few enough that one byte per lane counts them */
        uint8_t some = 0;
        for (int k = 0; k < 128; k++) some = (uint8_t)(some + (m[i + k] != 0));
        total += some;
    }
    for (; i < n; i++) total += m[i] != 0;
    return total;
}

static int64_t count_chunks(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    for (int64_t c = begin; c < end; c++) {
        int64_t from = c * RL_MASK_CHUNK;
        j->counts[c] = count_range(j->mask + from, smaller(RL_MASK_CHUNK, j->n - from));
    }
    return 0;
}

int64_t rl_mask_count(const uint8_t *mask, int64_t n, int64_t *starts) {
    int64_t chunks = rl_mask_chunks(n), total = 0;
    job j = {.mask = mask, .n = n, .counts = starts};
    rl_parallel_for(count_chunks, &j, chunks, 1);
    for (int64_t c = 0; c <= chunks; c++) {
        int64_t count = c < chunks ? starts[c] : 0;
        starts[c] = total;
        total += count;
    }
    return total;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The part of one row, the last dimension of the mask, in a chunk: bytes `first` to `last`, at the coordinates `at` of
 * the other dimensions. */
typedef struct {
    const uint8_t *mask;
    int64_t first, last;
    int64_t at[MAX_DIMS];
} row;

/* Work on a row: `found` items are done, and at most `most` may be; returns how many are done afterwards. */
typedef int64_t (*row_fn)(const job *j, const row *r, int64_t found, int64_t most);

static void each_row(const job *j, int64_t chunk, row_fn fn) {
    row r;
    int64_t at = chunk * RL_MASK_CHUNK, end = smaller(at + RL_MASK_CHUNK, j->n), rest = at;
    int64_t found = j->starts[chunk], most = j->starts[chunk + 1];
    if (found == most) return; /* perhaps because a size is 0 */
    for (int d = j->ndim - 1; d >= 0; d--) r.at[d] = rest % j->sizes[d], rest /= j->sizes[d];
    int last = j->ndim - 1;
    while (at < end && found < most) {
        r.first = r.at[last];
        r.last = smaller(j->sizes[last], r.first + (end - at));
        r.mask = j->mask + at - r.first;
        found = fn(j, &r, found, most);
        at += r.last - r.first;
        r.at[last] = 0;
        for (int d = last - 1; d >= 0 && ++r.at[d] == j->sizes[d]; d--) r.at[d] = 0;
    }
}

/* Run STEP for the indices i of a row at which a byte may not be 0: eight zeros at once are skipped. Eight steps for
 * whose results there is room ask nothing between them, which takes half the time. */
#define FOR_ROW(STEP)                                                                                                 \
    for (int64_t i = r->first; i < r->last && k < most;) {                                                            \
        uint64_t eight = 1;                                                                                           \
        if (i + 8 <= r->last) memcpy(&eight, m + i, 8);                                                               \
        if (eight == 0) {                                                                                             \
            i += 8;                                                                                                   \
            continue;                                                                                                 \
        }                                                                                                             \
        if (i + 8 <= r->last && k + 8 <= most) {                                                                      \
            for (int64_t stop = i + 8; i < stop; i++) STEP                                                            \
            continue;                                                                                                 \
        }                                                                                                             \
        for (int64_t stop = smaller(i + 8, r->last); i < stop && k < most; i++) STEP                                  \
    }

/* ---- places ----------------------------------------------------------------------------------------------------- */

static int64_t places_of_row(const job *j, const row *r, int64_t found, int64_t most) {
    const uint8_t *m = r->mask;
    int last = j->ndim - 1;
    int64_t k = found, step = j->step;
    int64_t *out = j->places[last];
    /* Without a branch on the mask, which cannot be predicted: the result for a 0 is overwritten. */
    FOR_ROW({
        out[k * step] = i;
        k += m[i] != 0;
    })
    for (int d = 0; d < last; d++) {
        out = j->places[d];
        for (int64_t q = found; q < k; q++) out[q * step] = r->at[d];
    }
    return k;
}

static int64_t places_of_chunks(void *ctx, int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; c++) each_row(ctx, c, places_of_row);
    return 0;
}

void rl_mask_places(const uint8_t *mask, int64_t n, const int64_t *starts, int ndim, const int64_t *sizes,
                    int64_t *const *out, int64_t step) {
    job j = {.mask = mask, .n = n, .starts = starts, .ndim = ndim, .sizes = sizes, .places = out, .step = step};
    rl_parallel_for(places_of_chunks, &j, rl_mask_chunks(n), 1);
}

/* ---- items ------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t a, b;
} sixteen;

static const char *items_of_row(const job *j, const row *r) {
    const char *x = j->x;
    for (int d = 0; d < j->ndim - 1; d++) x += r->at[d] * j->stride[d];
    return x;
}

#define TAKE_ROW(NAME, T)                                                                                             \
    static int64_t NAME(const job *j, const row *r, int64_t k, int64_t most) {                                        \
        const uint8_t *m = r->mask;                                                                                   \
        const char *x = items_of_row(j, r);                                                                           \
        int64_t stride = j->stride[j->ndim - 1];                                                                      \
        T *out = (T *)j->out;                                                                                         \
        FOR_ROW({                                                                                                     \
            memcpy(out + k, x + i * stride, sizeof(T));                                                               \
            k += m[i] != 0;                                                                                           \
        })                                                                                                            \
        return k;                                                                                                     \
    }
TAKE_ROW(take_1, uint8_t)
TAKE_ROW(take_2, uint16_t)
TAKE_ROW(take_4, uint32_t)
TAKE_ROW(take_8, uint64_t)
TAKE_ROW(take_16, sixteen)

enum { PART = 256 };

/* Items of any size, from at most PART places of a row: the places first, without a branch on the mask; then the items
 * there. */
static int64_t take_part(const job *j, const row *r, int64_t found, int64_t room) {
    const uint8_t *m = r->mask;
    const char *x = items_of_row(j, r);
    int64_t stride = j->stride[j->ndim - 1], item = j->item, k = 0, most = smaller(PART, room), at[PART];
    FOR_ROW({
        at[k] = i;
        k += m[i] != 0;
    })
    char *out = j->out + found * item;
    for (int64_t q = 0; q < k; q++, out += item) {
        const char *from = x + at[q] * stride;
        int64_t w = 0;
        for (; w + 8 <= item; w += 8) memcpy(out + w, from + w, 8);
        if (w + 4 <= item) memcpy(out + w, from + w, 4), w += 4;
        for (; w < item; w++) out[w] = from[w];
    }
    return found + k;
}

static int64_t take_any(const job *j, const row *r, int64_t found, int64_t most) {
    row part = *r;
    for (; part.first < r->last; part.first = part.last) {
        part.last = smaller(part.first + PART, r->last);
        found = take_part(j, &part, found, most - found);
    }
    return found;
}

static int64_t take_of_chunks(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    row_fn fn = j->item == 1    ? take_1
                : j->item == 2  ? take_2
                : j->item == 4  ? take_4
                : j->item == 8  ? take_8
                : j->item == 16 ? take_16
                                : take_any;
    for (int64_t c = begin; c < end; c++) each_row(j, c, fn);
    return 0;
}

void rl_mask_take(const uint8_t *mask, int64_t n, const int64_t *starts, int ndim, const int64_t *sizes, const char *x,
                  const int64_t *stride, int64_t item, char *out) {
    job j = {.mask = mask, .n = n, .starts = starts, .ndim = ndim, .sizes = sizes};
    j.x = x, j.stride = stride, j.item = item, j.out = out;
    rl_parallel_for(take_of_chunks, &j, rl_mask_chunks(n), 1);
}
