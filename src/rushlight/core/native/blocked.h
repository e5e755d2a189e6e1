/* LU with row exchanges and triangular solves of real matrices, by blocks whose products are those of product.h, or
 * OpenBLAS's (docs/design/linear-algebra.md). Matrices are row-major, with rows ld elements apart, unless said
 * otherwise. Bits depend neither on the threads nor on the processor's vectors. */
#ifndef RL_BLOCKED_H
#define RL_BLOCKED_H
#include <stdint.h>

/* Each for float (f32) and double (f64).
 *
 * rl_lu: a (m x n) = P L U in place; pivots, from 1, are those of LAPACK's getrf: the first of the largest |x|; *info
 * is the first column without a pivot, from 1, or 0. `spare` holds rl_lu_spare(m, n) elements. Returns 0 or
 * RL_NO_MEMORY.
 *
 * rl_solve_blocks: x (n x k) = a^-1 x for a triangle, whose element (i, j) is at a[i * ars + j * acs], of which one
 * stride is 1; the other triangle is not read, nor the diagonal where `unit`. `spare`: rl_solve_spare(n, k) elements.
 * Returns 0 or RL_NO_MEMORY.
 *
 * rl_invert_lu: x (n x n) = (P L U)^-1 = U^-1 L^-1 P^T for the factors and pivots that rl_lu makes. L^-1 is a triangle,
 * too, so that this is a third of the work of n solutions; the exchanges, of columns, come last. The bits are those of
 * solving for the identity. `spare`: rl_solve_spare(n, n) elements. Returns 0 or RL_NO_MEMORY.
 *
 * rl_product_of: c (m x n) = a (m x k) x b (k x n), or c += that where `add`; a's element (i, l) is at
 * a[i * ars + l * acs]. Returns 0 or RL_NO_MEMORY. */
#define RL_BLOCKED(T, NAME)                                                                                           \
    int rl_lu_##NAME(int64_t m, int64_t n, T *a, int64_t ld, int32_t *pivots, T *spare, int64_t *info);               \
    int rl_solve_blocks_##NAME(int upper, int unit, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs, T *x, \
                               int64_t ldx, T *spare);                                                                \
    int rl_invert_lu_##NAME(int64_t n, const T *a, int64_t ars, int64_t acs, const int32_t *pivots, int64_t ps, T *x, \
                            int64_t ldx, T *spare);                                                                   \
    int rl_product_of_##NAME(int add, int64_t m, int64_t n, int64_t k, const T *a, int64_t ars, int64_t acs,          \
                             const T *b, int64_t ldb, T *c, int64_t ldc);
RL_BLOCKED(float, f32)
RL_BLOCKED(double, f64)
#undef RL_BLOCKED

/* In 128 bits: expanded operands, with few elements in memory, may be of any size. */
__int128 rl_lu_spare(int64_t m, int64_t n);
__int128 rl_solve_spare(int64_t n, int64_t k);

/* A good distance for rows of n elements: whole vectors, and rows in different sets of a cache. */
int64_t rl_row_apart(int64_t n);

#endif
