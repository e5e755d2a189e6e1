/* Sums and products of sizes, strides, offsets and bytes that do not wrap: the one place where they are computed.
 *
 * The functions that may fail return 0 when the result fits into 63 bits and a sign, and something else when it does
 * not. */
#ifndef RL_CHECKED_H
#define RL_CHECKED_H
#include <stdint.h>

static inline int rl_times(int64_t a, int64_t b, int64_t *r) { return __builtin_mul_overflow(a, b, r); }
static inline int rl_plus(int64_t a, int64_t b, int64_t *r) { return __builtin_add_overflow(a, b, r); }

/* The nearest number that fits, for sizes and strides that a later check, of memory or of a range, must find too large.
   */
static inline int64_t rl_times_most(int64_t a, int64_t b) {
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? ((a < 0) == (b < 0) ? INT64_MAX : -INT64_MAX) : r;
}
static inline int64_t rl_plus_most(int64_t a, int64_t b) {
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? (a > 0 ? INT64_MAX : -INT64_MAX) : r;
}
static inline int64_t rl_minus_most(int64_t a, int64_t b) {
    int64_t r;
    return __builtin_sub_overflow(a, b, &r) ? (a > 0 ? INT64_MAX : -INT64_MAX) : r;
}

/* The quantity that did not fit. */
enum { RL_FITS = 0, RL_WRAPS = 1, RL_NEGATIVE = 2 };

/* The number of elements of a tensor of these sizes: 0 if one of them is 0, whatever the others are. */
static inline int rl_count(int n, const int64_t *sizes, int64_t *count) {
    int64_t r = 1, signs = 0;
    int over = 0, none = 0;
    for (int i = 0; i < n; i++) {
        signs |= sizes[i];
        none |= sizes[i] == 0;
        over |= rl_times(r, sizes[i], &r);
    }
    *count = none ? 0 : r;
    return signs < 0 ? RL_NEGATIVE : over && !none ? RL_WRAPS : RL_FITS;
}

/* The range of bytes of a tensor, [*low, *high), counted from the start of its storage; empty if it has no elements.
 * at: the byte of the first element; strides are in elements of `item` bytes. */
static inline int rl_reach(int n, const int64_t *sizes, const int64_t *strides, int64_t item, int64_t at, int64_t *low,
                           int64_t *high) {
    int64_t lo = at, hi = at, step;
    *low = *high = at;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0) return RL_NEGATIVE;
        if (sizes[i] == 0) return RL_FITS;
    }
    for (int i = 0; i < n; i++) {
        if (sizes[i] == 1) continue; /* its stride is never used */
        if (rl_times(sizes[i] - 1, strides[i], &step) || rl_times(step, item, &step)) return RL_WRAPS;
        if (step > 0 ? rl_plus(hi, step, &hi) : rl_plus(lo, step, &lo)) return RL_WRAPS;
    }
    if (rl_plus(hi, item, &hi)) return RL_WRAPS;
    *low = lo;
    *high = hi;
    return RL_FITS;
}
#endif
