#include "reflectors.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "blocked.h"
#include "integers.h"
#include "processor.h"
#include "targets.h"
#include "turn.h"

/* Columns to which a reflector is applied side by side. */
enum { FEW = 4 };

__int128 rl_reflectors_room(int64_t m, int64_t n) {
    const int64_t w = RL_TOGETHER;
    return 2 * (__int128)w * rl_row_apart(m + RL_BEHIND) + (__int128)w * m + (__int128)w * n + 2 * (__int128)w * w;
}

#define T float
#define NAME(x) x##_f32
#define ABS(x) fabsf(x)
#include "reflectors_typed.h"

#define T double
#define NAME(x) x##_f64
#define ABS(x) fabs(x)
#include "reflectors_typed.h"
