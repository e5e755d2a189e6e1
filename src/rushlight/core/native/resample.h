/* Bytes resampled along the last two dimensions of images, in integers: weights of 15 bits, and each dimension rounded
 * to bytes, rows first. The results are those of integer arithmetic, on every processor the same. */
#ifndef RL_RESAMPLE_H
#define RL_RESAMPLE_H
#include <stdint.h>

typedef struct rl_resample {
    int64_t n, c, h, w, oh, ow; /* n x c planes of h x w pixels become planes of oh x ow */
    int64_t depth;              /* contiguous numbers of a pixel, each of which is resampled by itself */
    const uint8_t *x;
    uint8_t *y;
    int64_t x_n, x_c, x_h, y_n, y_c, y_h; /* strides; the pixels of a row are contiguous */
    int64_t y_depth;                      /* 0, or the stride of the numbers of a pixel in y, which are planes there */
    double step_h, step_w;                /* the step in the source for a step of one pixel in the result */
    int reach; /* of the filter, in steps: 1 a triangle, 2 cubic convolution, 3 Lanczos' (only with antialias) */
    int antialias, corners; /* corners: those of source and result lie at the same positions */
} rl_resample;

/* Returns 0, or RL_NO_MEMORY, and then the contents of y are undefined. The planes of x and y must not overlap. */
int64_t rl_resample_bytes(const rl_resample *call);

#endif
