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
 * padding, the high side follows from out_sp. `then`: what goes on with what is written, of which a row is a
 * channel, a column a position, and whose batch is the samples; what is written is NULL where nobody else wants it.
 * Returns 0; -1 for a bad argument; -2 when BLAS is not open; -4 when memory is out. */
int rl_conv(int mode, int dtype, int nd, int64_t N, int64_t Cin, int64_t Cout, int64_t groups, const int64_t *in_sp,
            const int64_t *out_sp, const int64_t *k_sp, const int64_t *stride, const int64_t *pad, const int64_t *dil,
            void *x, void *w, void *y, const rl_epilogue *then);

/* Whether a convolution, which has elements and terms to sum, takes a kernel that goes on with what it writes. */
int rl_conv_takes_then(int mode, int dtype, int nd, const int64_t *stride);

#endif
