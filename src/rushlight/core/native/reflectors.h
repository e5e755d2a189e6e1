/* Householder's reflectors of real matrices, by blocks whose products are those of product.h, or OpenBLAS's
 * (docs/design/linear-algebra.md). Matrices are column-major, columns ld elements apart. Bits depend neither on the
 * threads nor on the processor's vectors. */
#ifndef RL_REFLECTORS_H
#define RL_REFLECTORS_H
#include <stdint.h>

enum { RL_TOGETHER = 32 }; /* reflectors that are applied together */

/* Each for float (f32) and double (f64); each returns 0 or RL_NO_MEMORY.
 *
 * rl_reflect_together: the columns of z (n of them, of `length` elements) times I - V T V^T, the product of w <=
 * RL_TOGETHER reflectors in the order of V's columns, or times its transpose where `transposed`. Row i of `rows` is
 * column i of V, with its zeros and its one; rows are rl_row_apart(length + RL_BEHIND) elements apart.
 *
 * rl_factor_columns: the first k columns of a (m x n) become R and, below it, reflectors, as LAPACK's geqrf leaves
 * them; the other columns become Q^T times what they were.
 *
 * rl_multiply_reflected: z (m x n) = Q z, where k <= m reflectors lie below the diagonal of a. `identity`: z is the
 * first columns of the identity, so that nothing is computed where it stays zero.
 *
 * work: rl_reflectors_room(m, n) elements, for n columns of z, or of a. */
#define RL_REFLECTORS(T, NAME)                                                                                        \
    int rl_reflect_together_##NAME(int transposed, int64_t w, int64_t length, const T *rows, const T *tau, int64_t n,  \
                                   T *z, int64_t ldz, T *work);                                                       \
    int rl_factor_columns_##NAME(int64_t m, int64_t n, int64_t k, T *a, int64_t ld, T *tau, T *work);                  \
    int rl_multiply_reflected_##NAME(int identity, int64_t m, int64_t k, const T *a, int64_t ld, const T *tau,         \
                                     int64_t n, T *z, int64_t ldz, T *work);
RL_REFLECTORS(float, f32)
RL_REFLECTORS(double, f64)
#undef RL_REFLECTORS

/* Elements behind a row of `rows`: a vector of them is read and written there. */
enum { RL_BEHIND = 16 };

/* In 128 bits: expanded operands, with few elements in memory, may be of any size. */
__int128 rl_reflectors_room(int64_t m, int64_t n);

#endif
