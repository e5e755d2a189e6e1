/* Convolution in one, two or three dimensions: products packed from padded planes, or from column matrices in blocks of
 * a cache's size where products have no kernels, or direct loops. */
#ifndef RL_CONV_H
#define RL_CONV_H
#include <stdint.h>

#include "product.h"

enum { RL_CONV_FORWARD = 0, RL_CONV_GRAD_INPUT = 1, RL_CONV_GRAD_WEIGHT = 2 };

/* x (N, Cin, *in_sp), w (Cout, Cin / groups, *k_sp), y (N, Cout, *out_sp), all contiguous, of one dtype (blas.h's
 * codes). mode 0 writes y from x and w; mode 1 writes x (the gradient by the input) from y (its gradient) and w;
 * mode 2 writes w from x and y. in_sp, out_sp, k_sp, stride, pad and dil have nd entries; pad is the low-side zero
 * padding, the high side follows from out_sp. `then`: the kernel that follows on the result, as a product whose rows
 * are channels, whose columns are positions, and whose batch are samples; the result is NULL if only that kernel needs
 * it. Returns 0; -1 for an invalid argument; -2 if BLAS is not open; -4 if there is no memory. */
int rl_conv(int mode, int dtype, int nd, int64_t N, int64_t Cin, int64_t Cout, int64_t groups, const int64_t *in_sp,
            const int64_t *out_sp, const int64_t *k_sp, const int64_t *stride, const int64_t *pad, const int64_t *dil,
            void *x, void *w, void *y, const rl_epilogue *then);

/* Whether a convolution, which has elements and terms to sum, accepts a kernel that follows on its result. */
int rl_conv_takes_then(int mode, int dtype, int nd, const int64_t *stride);

#endif
