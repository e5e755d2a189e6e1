/* Shared by lapack.c and the families of routines. */
#ifndef RL_LAPACK_INTERNAL_H
#define RL_LAPACK_INTERNAL_H
#include "integers.h"
#include "lapack.h"

/* The Fortran and C routines that are looked up in the library, by the name of the real one, then of the complex one.
   */
#define RL_LAPACK_FUNCTIONS(X)                                                                                        \
    X(POTRF, "potrf_", "potrf_")                                                                                      \
    X(GETRF, "getrf_", "getrf_")                                                                                      \
    X(GEQRF, "geqrf_", "geqrf_")                                                                                      \
    X(ORGQR, "orgqr_", "ungqr_")                                                                                      \
    X(SYTRD, "sytrd_", "hetrd_")                                                                                      \
    X(STEDC, "stedc_", "stedc_")                                                                                      \
    X(SYEVD, "syevd_", "heevd_")                                                                                      \
    X(GEEV, "geev_", "geev_")                                                                                         \
    X(GESDD, "gesdd_", "gesdd_")                                                                                      \
    X(GESVD, "gesvd_", "gesvd_")                                                                                      \
    X(SYTRF, "sytrf_", "sytrf_")                                                                                      \
    X(HETRF, "sytrf_", "hetrf_")                                                                                      \
    X(SYTRS, "sytrs_", "sytrs_")                                                                                      \
    X(HETRS, "sytrs_", "hetrs_")                                                                                      \
    X(GELSY, "gelsy_", "gelsy_")                                                                                      \
    X(GELS, "gels_", "gels_")                                                                                         \
    X(GELSD, "gelsd_", "gelsd_")                                                                                      \
    X(GELSS, "gelss_", "gelss_")                                                                                      \
    X(TRSM, "cblas_?trsm", "cblas_?trsm")                                                                             \
    X(GEMM, "cblas_?gemm", "cblas_?gemm")

enum {
#define X(NAME, REAL, COMPLEX) FN_##NAME,
    RL_LAPACK_FUNCTIONS(X)
#undef X
        FN_COUNT
};

/* The work of one call: the same for every matrix of the batch. */
typedef struct task task;
struct task {
    rl_lapack_call *call;
    int64_t m, n, k;         /* the sizes of the routine */
    int64_t lwork, lrwork, liwork; /* LAPACK's workspaces, in elements */
    int64_t bytes;           /* of the workspace of one thread */
    double cost;             /* of a matrix, in nanoseconds, roughly */
    int ours;                /* it enters and leaves the library itself, by rl_multiply or around calls of LAPACK */
    void *fn[4];             /* the library's functions that it calls */
    /* Do the matrix whose operands are at p; returns its info or, if it is `ours`, RL_NO_MEMORY. */
    int64_t (*one)(const task *t, char *work, char **p);
};

void *rl_lapack_function(int which, int dtype);

/* A plan fills in sizes, workspace and functions of a task; returns nonzero if a function is missing. */
typedef int (*plan_fn)(task *);
#define PLAN(name)                                                                                                    \
    int rl_##name##_plan_f32(task *), rl_##name##_plan_f64(task *), rl_##name##_plan_c64(task *),                     \
        rl_##name##_plan_c128(task *)
PLAN(cholesky);
PLAN(triangular_solve);
PLAN(lu);
PLAN(lu_solve);
PLAN(ldl);
PLAN(ldl_solve);
PLAN(matrix_exp);
PLAN(matrix_exp_change);
PLAN(qr);
PLAN(geqrf);
PLAN(lstsq);
PLAN(eigh);
PLAN(svd);
PLAN(eig);
#undef PLAN

/* Pieces of a workspace, each aligned to a cache line. */
/* The bytes of a workspace are summed in 128 bits: expanded operands, with few elements in memory, may be of any size.
   */
typedef __int128 wide;
static inline int64_t rl_room(wide bytes) { return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes; }

static inline char *piece(char **work, int64_t bytes) {
    char *p = *work;
    *work += (bytes + 63) / 64 * 64;
    return p;
}

#endif
