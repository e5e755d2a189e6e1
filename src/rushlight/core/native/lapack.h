/* Linear algebra on batches of matrices: LAPACK and BLAS through the library that blas.c opened, small loops of our own
 * where the library's overhead is larger than the work. The loop over the batch is here, and is shared by the threads
 * of our pool. */
#ifndef RL_LAPACK_H
#define RL_LAPACK_H
#include <stdint.h>

enum { RL_LAPACK_BATCH = 64, RL_LAPACK_ARGS = 8 };

/* An operand: `batch` matrices, vectors or numbers. Strides in elements; data is NULL for a result that is not needed.
   */
typedef struct {
    char *data;
    int64_t item;             /* bytes of an element */
    int64_t size[2];          /* of a vector: size[0] */
    int64_t stride[2];        /* rows, columns */
    int64_t batch_stride[RL_LAPACK_BATCH];
} rl_matrix;

/* Routines with their operands (inputs -> outputs) and flags. `info` is int32, 0 for success. */
enum {
    RL_CHOLESKY = 0,         /* a -> l, info; UPPER */
    RL_TRIANGULAR_SOLVE = 1, /* a, b -> x; UPPER, UNIT */
    RL_LU = 2,               /* a -> lu, pivots (int32, from 1), info */
    RL_LU_SOLVE = 3,         /* lu, pivots, b -> x; ADJOINT */
    RL_QR = 4,               /* a -> q, r */
    RL_GEQRF = 5,            /* a -> packed, tau */
    RL_EIGH = 6,             /* a -> w, v, info; UPPER */
    RL_SVD = 7,              /* a -> u, s, vh, info */
    RL_EIG = 8,              /* a -> w, v, info; complex results */
    RL_LSTSQ = 9,            /* a, b, rcond (a float64) -> x, rank (int64), s, info; flags: the driver */
    RL_LDL = 10,             /* a -> ld, pivots, info; HERMITIAN, UPPER */
    RL_LDL_SOLVE = 11,       /* ld, pivots, b -> x; HERMITIAN, UPPER */
    RL_PERMUTATION = 12,     /* pivots (int32) -> permutation (int64): row i of P^T A is row perm[i] of A */
    RL_MATRIX_EXP = 13,      /* a -> exp(a) */
    RL_MATRIX_EXP_CHANGE = 14, /* a, e -> the derivative of exp at a in the direction e */
    RL_LAPACK_ROUTINES = 15
};
enum { RL_UPPER = 1, RL_UNIT = 2, RL_ADJOINT = 4, RL_HERMITIAN = 8 };
enum { RL_GELSY = 0, RL_GELS = 1, RL_GELSD = 2, RL_GELSS = 3 };

/* The info of a matrix with an infinity or a NaN in it, on which LAPACK's iterations may never end. */
enum { RL_NOT_FINITE = -1000 };

typedef struct {
    int routine, dtype, batch_dims, n_args;
    int64_t flags;
    int64_t batch_size[RL_LAPACK_BATCH];
    rl_matrix args[RL_LAPACK_ARGS];
    int64_t failed;          /* out: the first matrix of the batch whose info is not 0, else -1 */
    int64_t info;            /* out: its info */
} rl_lapack_call;

/* Returns 0; -1 if the library lacks a symbol (rl_lapack_error() names it); -2 if there is no memory. */
int64_t rl_lapack(rl_lapack_call *call);
const char *rl_lapack_error(void);

#endif
