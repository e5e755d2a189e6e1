#include "resample_numbers.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "checked.h"
#include "clones.h"
#include "pool.h"

/* How many lines are processed side by side, if fewer numbers are contiguous; how many numbers are worth sharing. */
enum { LANES = 16, SHARED_FROM = 32768 };

typedef struct {
    const rl_resample_numbers *call;
    const void *table;
} job;

#define T float
#define NAME(x) x##_f
#define CEIL ceilf
#define FABS fabsf
#define SIN sinf
#define PI 3.14159265358979323846f
#define FMA fmaf
#include "resample_typed.h"

#define T double
#define NAME(x) x##_d
#define CEIL ceil
#define FABS fabs
#define SIN sin
#define PI 3.14159265358979323846
#define FMA fma
#include "resample_typed.h"

int64_t rl_resample_along(const rl_resample_numbers *call) {
    if (call->outer * call->inner * call->n * call->out == 0) return 0;
    return call->is_double ? run_d(call) : run_f(call);
}
