/* Bytes resampled along the last two dimensions of images, in integers: weights of 15 bits, and each dimension rounded
 * to bytes, rows first. The results are those of integer arithmetic, on every processor the same. */
#ifndef RL_RESAMPLE_H
#define RL_RESAMPLE_H
#include <stdint.h>

typedef struct rl_resample {
    int64_t n, c, h, w, oh, ow; /* n x c planes of h x w pixels become planes of oh x ow */
    int64_t depth;              /* numbers of a pixel, which lie side by side: each is resampled with its like */
    const uint8_t *x;
    uint8_t *y;
    int64_t x_n, x_c, x_h, y_n, y_c, y_h; /* strides; the pixels of a row lie side by side */
    int64_t y_depth;                      /* 0, or the stride of y's numbers of a pixel: each has a plane there */
    double step_h, step_w;                /* how far the source moves for one pixel of the result */
    int reach; /* of the filter, in steps: 1 a triangle, 2 cubic convolution, 3 Lanczos' (with antialias alone) */
    int antialias, corners; /* corners: those of source and result lie at the same positions */
} rl_resample;

/* 0, or RL_NO_MEMORY: then what is in y is unsaid. The planes of x and y do not overlap. */
int64_t rl_resample_bytes(const rl_resample *call);

#endif
