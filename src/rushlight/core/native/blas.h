/* Matrix products through OpenBLAS, opened by path (the scipy-openblas64 wheel: prefix scipy_, suffix 64_, 64-bit
 * integers).
 *
 * OpenBLAS itself stays on one thread; C is cut into tiles by its shape alone and the tiles go to our pool, so bits
 * never depend on the number of threads. K is split only for a small C with a long sum, by its length alone. */
#ifndef RL_BLAS_H
#define RL_BLAS_H
#include <stddef.h>
#include <stdint.h>

#include "product.h"

/* Open the library. Returns 0, -1 when it cannot be opened, -2 when a symbol is missing, -3 when memory is short;
 * rl_blas_error() says more.
 * Opening it a second time does nothing and returns 0. */
int rl_blas_open(const char *path);
const char *rl_blas_error(void);

/* The address of another symbol by its plain Fortran or C name ("dgetrf_", "cblas_dtrsm"), NULL if there is none.
 * Bracket calls with rl_blas_enter/leave so that a fork waits for them: OpenBLAS has a lock that must not be held
 * then. In between there must be no fork, and no waiting for another thread. rl_blas_enter returns 0, or RL_NO_MEMORY
 * if this thread must not go in (and must not call rl_blas_leave): its first entry needs memory. */
void *rl_blas_symbol(const char *plain_name);
int rl_blas_enter(void);
void rl_blas_leave(void);

/* Whether this process may map so many more bytes; to be asked before calls of libraries that end the process if they
 * get no memory. */
int rl_has_room(size_t bytes);

/* Multiply, by the kernels of product.h or by OpenBLAS; `gather` must be NULL. Matrices of one batch may share A or B
 * (a_bs 0), not C. C is read only where `add`. Returns 0; -1 if the strides of an operand have no unit stride, or
 * overlap, so that the caller must copy it, or if only the kernels could do what is asked (`then`, `wide`) and do not
 * make this product; -2 if the library is not open; -3 for a wrong dtype or a negative size; RL_NO_MEMORY. Not
 * `parallel`: on the calling thread alone, for use inside pool tasks. */
int rl_multiply(const rl_product *p, int parallel);

/* Whether it accepts the strides of a product, with OpenBLAS open: it would return neither -1 nor -3. */
int rl_multiply_takes(const rl_product *p);

#endif
