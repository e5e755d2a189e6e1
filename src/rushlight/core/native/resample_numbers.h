/* Floating point numbers resampled along one dimension with filters as wide as the step (antialias), and the transpose
 * of that. */
#ifndef RL_RESAMPLE_NUMBERS_H
#define RL_RESAMPLE_NUMBERS_H
#include <stdint.h>

typedef struct rl_resample_numbers {
    int is_double;
    int reach;  /* of the filter, in steps: 1 a triangle, 2 cubic convolution, 3 Lanczos' */
    int turned; /* the transpose of the resampling of `out` numbers to n */
    int64_t outer, n, out, inner; /* x (outer, n, inner) becomes y (outer, out, inner), row by row */
    double step;                  /* the step in the source for one number of the result (of the transposed) */
    const void *x;
    void *y;
} rl_resample_numbers;

/* Returns 0, or RL_NO_MEMORY, and then the contents of y are undefined. x and y must not overlap. */
int64_t rl_resample_along(const rl_resample_numbers *call);

#endif
