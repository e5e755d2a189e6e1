#include "blocked.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "blas.h"
#include "integers.h"
#include "pool.h"
#include "processor.h"
#include "targets.h"
#include "turn.h"

/* EDGE: columns of a panel that is factored at once, and rows of a triangle that is solved at once; FEW: columns of a
 * panel that are applied to the others together; TALL: rows of a triangle that is solved at once for a vector of right
 * hand sides or less, BESIDE: those of them that are computed side by side. */
enum { EDGE = 16, FEW = 4, CHUNK = 64, TALL = 64, BESIDE = 8 };

int64_t rl_row_apart(int64_t n) {
    int64_t apart = ceil_div(n, 16) * 16;
    return apart % 128 ? apart : apart + 16;
}

/* The first half of n rows or columns, in whole edges. */
static int64_t half(int64_t n) { return ceil_div(ceil_div(n, 2), EDGE) * EDGE; }

/* The distance of the columns of a panel: a vector behind the last row may be written to. */
static int64_t panel_apart(int64_t m) { return ceil_div(m, 16) * 16 + 16; }

__int128 rl_solve_spare(int64_t n, int64_t k) { return n <= EDGE ? 0 : (__int128)half(n) * rl_row_apart(k); }

__int128 rl_lu_spare(int64_t m, int64_t n) {
    int64_t k = smaller(m, n);
    return (__int128)EDGE * panel_apart(m) + (__int128)half(k) * rl_row_apart(larger(half(k), n - k));
}

#define T float
#define NAME(x) x##_f32
#define DTYPE RL_F32
#define ABS(x) fabsf(x)
#include "blocked_typed.h"

#define T double
#define NAME(x) x##_f64
#define DTYPE RL_F64
#define ABS(x) fabs(x)
#include "blocked_typed.h"
