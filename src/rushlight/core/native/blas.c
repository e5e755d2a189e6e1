#include "blas.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "integers.h"
#include "pool.h"
#include "product_pairs.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemm_fn)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *,
                         int64_t, float, float *, int64_t);
typedef void (*dgemm_fn)(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *,
                         int64_t, double, double *, int64_t);
typedef void (*zgemm_fn)(int, int, int, int64_t, int64_t, int64_t, const void *, const void *, int64_t, const void *,
                         int64_t, const void *, void *, int64_t);
typedef void (*sgemv_fn)(int, int, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                         float *, int64_t);
typedef void (*dgemv_fn)(int, int, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t, double,
                         double *, int64_t);

static struct {
    void *handle;
    sgemm_fn sgemm;
    dgemm_fn dgemm;
    zgemm_fn cgemm, zgemm;
    sgemv_fn sgemv;
    dgemv_fn dgemv;
} lib;

static char error_text[512] = "rl_blas_open has not been called";
static pthread_mutex_t open_mutex = PTHREAD_MUTEX_INITIALIZER;
static const int64_t item_size[RL_PRODUCT_DTYPES] = {4, 8, 8, 16, 2, 2, 1};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void *symbol_in(void *handle, const char *plain_name) {
    char name[128];
    snprintf(name, sizeof name, "scipy_%s64_", plain_name);
    return dlsym(handle, name);
}

static void *required(void *handle, const char *plain_name, int *missing) {
    void *p = symbol_in(handle, plain_name);
    if (!p && !*missing) {
        *missing = 1;
        snprintf(error_text, sizeof error_text, "OpenBLAS has no symbol scipy_%s64_", plain_name);
    }
    return p;
}

/* OpenBLAS maps a work buffer for every call that is in progress at one time, keeps it for later calls, and ends the
 * process with exit(1) if it gets none. So no thread may call it before there is room for a buffer: the library is not
 * opened if there is no room for it and two buffers (one is mapped on loading, and stays unused); a first product then
 * makes OpenBLAS map the buffer that suffices for one call at a time, and rl_blas_enter admits further calls only while
 * there is room for their buffers. No page of a buffer is touched before it is used. Its thread-local data need the
 * same care: the loader allocates them when a thread first uses them, and ends the process if it cannot
 * (make_thread_ready). */
enum { BUFFER = (32 << 20) + (64 << 10), LIBRARY_SIZE = 32 << 20, THREAD_DATA = 256 << 10 };

static int room_for(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return 0;
    munmap(p, bytes);
    return 1;
}

/* Whether the process may run out of address space before the machine runs out of memory. */
static int limited(void) {
    struct rlimit space, data;
    return getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0 || space.rlim_cur != RLIM_INFINITY ||
           data.rlim_cur != RLIM_INFINITY;
}

int rl_has_room(size_t bytes) { return !limited() || room_for(bytes); }

/* On processors with AVX-512 OpenBLAS multiplies small matrices (up to 10^6 products) without a buffer. */
static void first_product(void) {
    enum { N = 128 };
    static float a[N * N], c[N * N];
    lib.sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, N, N, N, 1, a, N, a, N, 0, c, N);
}

int rl_blas_open(const char *path) {
    int rc = 0;
    pthread_mutex_lock(&open_mutex);
    if (!lib.handle && !room_for(LIBRARY_SIZE + 2 * BUFFER)) {
        snprintf(error_text, sizeof error_text, "it needs %d MB of address space", (LIBRARY_SIZE + 2 * BUFFER) >> 20);
        rc = -3;
    } else if (!lib.handle) {
        /* On loading, OpenBLAS starts a spinning thread for every processor, unless an environment variable says
         * otherwise, which is therefore set while it is loaded. */
        const char *name = "OPENBLAS_NUM_THREADS", *old = getenv(name);
        char *kept = old ? strdup(old) : NULL;
        setenv(name, "1", 1);
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (kept)
            setenv(name, kept, 1);
        else
            unsetenv(name);
        free(kept);
        if (!handle) {
            snprintf(error_text, sizeof error_text, "%s", dlerror());
            rc = -1;
        } else {
            int missing = 0;
            void (*set_threads)(int) = (void (*)(int))required(handle, "openblas_set_num_threads", &missing);
            lib.sgemm = (sgemm_fn)required(handle, "cblas_sgemm", &missing);
            lib.dgemm = (dgemm_fn)required(handle, "cblas_dgemm", &missing);
            lib.cgemm = (zgemm_fn)required(handle, "cblas_cgemm", &missing);
            lib.zgemm = (zgemm_fn)required(handle, "cblas_zgemm", &missing);
            lib.sgemv = (sgemv_fn)required(handle, "cblas_sgemv", &missing);
            lib.dgemv = (dgemv_fn)required(handle, "cblas_dgemv", &missing);
            if (missing) {
                rc = -2;
                dlclose(handle);
            } else {
                /* Its own threading stays off: the jobs of its threaded gemm wait for one another in spin loops, so
                 * they need as many awake threads as jobs, which our pool does not promise. */
                set_threads(1);
                first_product();
                lib.handle = handle;
                error_text[0] = 0;
            }
        }
    }
    pthread_mutex_unlock(&open_mutex);
    return rc;
}

const char *rl_blas_error(void) { return error_text; }

void *rl_blas_symbol(const char *plain_name) { return lib.handle ? symbol_in(lib.handle, plain_name) : NULL; }

/* ---- fork ------------------------------------------------------------------------------------------------------- */

/* OpenBLAS assigns its work buffers under a mutex, which a forked child would inherit locked if another thread held it
 * at that moment. So a fork waits until no thread is inside OpenBLAS, and threads that want to call it wait for the
 * fork. */
static _Atomic int inside, fork_pending;
static _Thread_local int thread_ready;

/* Whether there is room for the buffers of `calls` calls at a time. The first has its own; room for some of the others
 * may be promised to calls that have not mapped theirs yet. */
static int room_for_calls(int calls) {
    return calls <= 1 || !limited() || room_for((size_t)(calls - 1) * BUFFER);
}

/* Let the loader allocate this thread's data of OpenBLAS (140 KiB in 0.3.30) while there is memory for them for
 * certain. One thread does so at a time, so that none takes memory that another has found free; and no fork happens
 * meanwhile, since the thread counts as inside. */
static int make_thread_ready(void) {
    pthread_mutex_lock(&open_mutex);
    void *volatile room = malloc(THREAD_DATA);
    thread_ready = room != NULL;
    free(room);
    if (thread_ready) first_product();
    pthread_mutex_unlock(&open_mutex);
    return thread_ready;
}

int rl_blas_enter(void) {
    for (;;) {
        int calls = atomic_fetch_add(&inside, 1) + 1, forks = atomic_load(&fork_pending);
        if (__builtin_expect(!forks, 1) && (__builtin_expect(calls == 1, 1) || room_for_calls(calls))) {
            if (__builtin_expect(thread_ready, 1) || make_thread_ready()) return 0;
            atomic_fetch_sub(&inside, 1);
            return RL_NO_MEMORY;
        }
        atomic_fetch_sub(&inside, 1);
        while (atomic_load(&fork_pending)) sched_yield();
        if (!forks) sched_yield(); /* until one of the others has left */
    }
}

void rl_blas_leave(void) { atomic_fetch_sub(&inside, 1); }

static void before_fork(void) {
    atomic_fetch_add(&fork_pending, 1);
    while (atomic_load(&inside)) sched_yield();
}
static void after_fork_in_parent(void) { atomic_fetch_sub(&fork_pending, 1); }
static void after_fork_in_child(void) { atomic_store(&fork_pending, 0), atomic_store(&inside, 0); }

__attribute__((constructor)) static void register_fork_handlers(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- one product, in BLAS's terms ------------------------------------------------------------------------------- */

/* A product whose C is row-major; A and B are each row-major or the transpose of it. Leading dimensions in elements. */
typedef struct {
    rl_product p;
    int a_trans, b_trans, small;
    int64_t item, lda, ldb, ldc;
    int64_t tile_m, tile_n, tiles_m, tiles_n;
} plan;

/* Strides (rs, cs) of a rows x cols matrix as BLAS's leading dimension and transposition; 0 if that is impossible. */
static int leading_dimension(int64_t rows, int64_t cols, int64_t rs, int64_t cs, int64_t *ld, int *trans) {
    if (cols == 1) cs = 1; /* the stride of an axis of size 1 does not matter */
    if (rows == 1 && cs != 1) rs = 1;
    if (rows == 1 && cs == 1) rs = cols;
    if (cs == 1 && (rs >= cols || rows == 1)) {
        *ld = rs > 1 ? rs : 1, *trans = 0;
        return 1;
    }
    if (rs == 1 && (cs >= rows || cols == 1)) {
        *ld = cs > 1 ? cs : 1, *trans = 1;
        return 1;
    }
    return 0;
}

/* The first hundred multiply-adds are done before OpenBLAS has looked at its arguments: 4x4x4 takes 60 ns less, 6x6x6
 * 70 ns more. Any strides. */
#define SMALL_LOOP(NAME, T)                                                                                           \
    static void NAME(const rl_product *p, const char *a, const char *b, char *c) {                                    \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n; j++) {                                                                      \
                T sum = 0, *to = (T *)(c + i * p->c_rs + j * p->c_cs);                                                \
                for (int64_t l = 0; l < p->k; l++)                                                                    \
                    sum += *(const T *)(a + i * p->a_rs + l * p->a_cs) * *(const T *)(b + l * p->b_rs + j * p->b_cs); \
                *to = p->add ? sum + *to : sum;                                                                       \
            }                                                                                                         \
    }
#define SMALL_LOOP_COMPLEX(NAME, T)                                                                                   \
    static void NAME(const rl_product *p, const char *a, const char *b, char *c) {                                    \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n; j++) {                                                                      \
                T re = 0, im = 0, *to = (T *)(c + i * p->c_rs + j * p->c_cs);                                         \
                for (int64_t l = 0; l < p->k; l++) {                                                                  \
                    const T *x = (const T *)(a + i * p->a_rs + l * p->a_cs);                                          \
                    const T *y = (const T *)(b + l * p->b_rs + j * p->b_cs);                                          \
                    re += x[0] * y[0] - x[1] * y[1];                                                                  \
                    im += x[0] * y[1] + x[1] * y[0];                                                                  \
                }                                                                                                     \
                to[0] = p->add ? re + to[0] : re, to[1] = p->add ? im + to[1] : im;                                   \
            }                                                                                                         \
    }
SMALL_LOOP(small_f32, float)
SMALL_LOOP(small_f64, double)
SMALL_LOOP_COMPLEX(small_c64, float)
SMALL_LOOP_COMPLEX(small_c128, double)

static void small_product(const rl_product *p, const char *a, const char *b, char *c) {
    static void (*const loops[4])(const rl_product *, const char *, const char *, char *) = {small_f32, small_f64,
                                                                                             small_c64, small_c128};
    loops[p->dtype](p, a, b, c);
}

/* y = A x, or y += A x, for a matrix whose rows are ld apart (or, transposed, whose columns are). */
static void gemv(const rl_product *p, int trans, int64_t rows, const char *a, int64_t ld, const char *x, int64_t incx,
                 char *y, int64_t incy) {
    int64_t m = trans ? p->k : rows, n = trans ? rows : p->k;
    int t = trans ? TRANS : NO_TRANS;
    if (p->dtype == RL_F32)
        lib.sgemv(ROW_MAJOR, t, m, n, 1, (const float *)a, ld, (const float *)x, incx, (float)p->add, (float *)y, incy);
    else
        lib.dgemv(ROW_MAJOR, t, m, n, 1, (const double *)a, ld, (const double *)x, incx, p->add, (double *)y, incy);
}

/* Rows [i0, i0 + m) and columns [j0, j0 + n) of C through OpenBLAS. */
static int tile_product(const plan *q, const char *a, const char *b, char *c, int64_t i0, int64_t m, int64_t j0,
                        int64_t n) {
    const rl_product *p = &q->p;
    a += i0 * p->a_rs;
    b += j0 * p->b_cs;
    c += i0 * p->c_rs + j0 * p->c_cs;
    int ta = q->a_trans ? TRANS : NO_TRANS, tb = q->b_trans ? TRANS : NO_TRANS;
    double one[2] = {1, 0}, beta[2] = {p->add, 0};
    float one_f[2] = {1, 0}, beta_f[2] = {(float)p->add, 0};
    int rc = rl_blas_enter();
    if (rc != 0) return rc;
    if (p->dtype <= RL_F64 &&
        p->n == 1) /* B is a column: its elements are ldb apart, or contiguous if it is transposed */
        gemv(p, q->a_trans, m, a, q->lda, b, q->b_trans ? 1 : q->ldb, c, q->ldc);
    else if (p->dtype <= RL_F64 && p->m == 1) /* A is a row: C = B^T a */
        gemv(p, !q->b_trans, n, b, q->ldb, a, q->a_trans ? q->lda : 1, c, 1);
    else if (p->dtype == RL_F32)
        lib.sgemm(ROW_MAJOR, ta, tb, m, n, p->k, 1, (const float *)a, q->lda, (const float *)b, q->ldb, beta_f[0],
                  (float *)c, q->ldc);
    else if (p->dtype == RL_F64)
        lib.dgemm(ROW_MAJOR, ta, tb, m, n, p->k, 1, (const double *)a, q->lda, (const double *)b, q->ldb, beta[0],
                  (double *)c, q->ldc);
    else if (p->dtype == RL_C64)
        lib.cgemm(ROW_MAJOR, ta, tb, m, n, p->k, one_f, a, q->lda, b, q->ldb, beta_f, c, q->ldc);
    else
        lib.zgemm(ROW_MAJOR, ta, tb, m, n, p->k, one, a, q->lda, b, q->ldb, beta, c, q->ldc);
    rl_blas_leave();
    return 0;
}

static int64_t run_tiles(void *ctx, int64_t begin, int64_t end) {
    const plan *q = ctx;
    const rl_product *p = &q->p;
    int64_t tiles = q->tiles_m * q->tiles_n;
    for (int64_t t = begin; t < end; t++) {
        int64_t i = t / tiles, rest = t % tiles;
        const char *a = p->a + i * p->a_bs, *b = p->b + i * p->b_bs;
        char *c = p->c + i * p->c_bs;
        if (q->small) {
            small_product(p, a, b, c);
            continue;
        }
        int64_t i0 = rest / q->tiles_n * q->tile_m, j0 = rest % q->tiles_n * q->tile_n;
        int rc = tile_product(q, a, b, c, i0, smaller(p->m - i0, q->tile_m), j0, smaller(p->n - j0, q->tile_n));
        if (rc != 0) return rc;
    }
    return 0;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

/* The edge that cuts `size` into equal pieces of about `wanted`, a multiple of 64. */
static int64_t even_edge(int64_t size, int64_t wanted) {
    int64_t edge = ceil_div(size, ceil_div(size, wanted));
    return ceil_div(edge, 64) * 64;
}

/* Cut C by its shape and the number of processors alone. Each tile packs its panels of A and B again, which costs 2 %
 * of the time at an edge of 512 and 6 % at 256, so there are only so many tiles that a late thread delays the end
 * little: two per processor. */
static void choose_tiles(plan *q) {
    const rl_product *p = &q->p;
    double flops = 2.0 * (double)p->m * (double)p->n * (double)p->k * (p->dtype >= RL_C64 ? 4 : 1);
    int vector = p->m == 1 || p->n == 1;
    if (p->batch < 16 && flops > (vector ? 2e5 : 2e6)) {
        int64_t pieces = smaller(larger(2 * (int64_t)sysconf(_SC_NPROCESSORS_CONF), 4), 64);
        if (vector) {
            /* Along a strided axis a narrow tile reads short runs of memory: 256 columns take twice as long as
             * 2048. */
            int strided = p->m == 1 ? !q->b_trans : q->a_trans;
            int64_t wanted = larger(ceil_div(larger(p->m, p->n), pieces), strided ? 1024 : 64);
            if (p->m == 1)
                q->tile_n = even_edge(p->n, wanted);
            else
                q->tile_m = even_edge(p->m, wanted);
        } else {
            double area = (double)p->m * (double)p->n / (double)pieces;
            area = area > 512 * 512 ? 512 * 512 : area < 64 * 64 ? 64 * 64 : area;
            double rows = sqrt(area), columns;
            if (rows > (double)p->m) rows = (double)p->m;
            columns = area / rows;
            if (columns > (double)p->n) columns = (double)p->n, rows = area / columns;
            q->tile_m = even_edge(p->m, (int64_t)(rows > 1024 ? 1024 : rows));
            q->tile_n = even_edge(p->n, (int64_t)(columns > 1024 ? 1024 : columns));
        }
    }
    q->tiles_m = ceil_div(p->m, q->tile_m);
    q->tiles_n = ceil_div(p->n, q->tile_n);
}

/* Fill in lda, ldb, ldc and the transpositions, as C^T = B^T A^T where C is column-major. Whether BLAS can do it. */
static int prepare(plan *q) {
    rl_product *p = &q->p;
    int64_t item = q->item;
    int c_trans;
    if (!leading_dimension(p->m, p->n, p->c_rs / item, p->c_cs / item, &q->ldc, &c_trans)) return 0;
    if (c_trans) rl_product_turn(p);
    q->tile_m = p->m, q->tile_n = p->n;
    return leading_dimension(p->m, p->k, p->a_rs / item, p->a_cs / item, &q->lda, &q->a_trans) &&
           leading_dimension(p->k, p->n, p->b_rs / item, p->b_cs / item, &q->ldb, &q->b_trans);
}

/* C, plus its old value if that counts, is the sum of `parts` copies that are m * n elements apart, always in one
 * order. */
#define ADD_PARTS(NAME, T)                                                                                            \
    static void NAME(const rl_product *p, const T *copies, int64_t parts, int64_t reals) {                            \
        int64_t step = p->m * p->n * reals;                                                                           \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n * reals; j++) {                                                              \
                T *to = (T *)(p->c + i * p->c_rs + j / reals * p->c_cs) + j % reals;                                  \
                const T *from = copies + i * p->n * reals + j;                                                        \
                T sum = from[0];                                                                                      \
                for (int64_t part = 1; part < parts; part++) sum += from[part * step];                                \
                *to = p->add ? sum + *to : sum;                                                                       \
            }                                                                                                         \
    }
ADD_PARTS(add_parts_f32, float)
ADD_PARTS(add_parts_f64, double)

/* A small C with long sums (a dot product, the weight gradient of a narrow layer) has too few tiles: K is cut instead,
 * by its length alone, into at most sixteen parts and a rest, and the parts are added in order. */
static int multiply_in_parts(const rl_product *p, int parallel) {
    int64_t item = item_size[p->dtype], length = larger(ceil_div(ceil_div(p->k, 16), 64) * 64, 4096);
    int64_t parts = p->k / length, rest = p->k % length, all = parts + (rest > 0), size = p->m * p->n * item;
    char *copies = rl_alloc((size_t)(all * size));
    if (!copies) return RL_NO_MEMORY;
    rl_product q = *p;
    q.c = copies, q.c_rs = p->n * item, q.c_cs = item, q.c_bs = size, q.add = 0;
    rl_product last = q;
    q.batch = parts, q.k = length, q.a_bs = length * p->a_cs, q.b_bs = length * p->b_rs;
    int rc = rl_multiply(&q, parallel);
    if (rc == 0 && rest > 0) {
        last.a += parts * length * p->a_cs, last.b += parts * length * p->b_rs;
        last.c += parts * size, last.k = rest;
        rc = rl_multiply(&last, 0);
    }
    if (rc == 0) {
        int64_t reals = p->dtype >= RL_C64 ? 2 : 1;
        if (p->dtype == RL_F32 || p->dtype == RL_C64)
            add_parts_f32(p, (const float *)copies, all, reals);
        else
            add_parts_f64(p, (const double *)copies, all, reals);
    }
    rl_free(copies, (size_t)(all * size));
    return rc;
}

/* How a product is made: not at all, because it has no elements; by our kernels; in parts along K; by loops; by
 * OpenBLAS; or only after the caller has copied an operand. */
enum { NOTHING, BY_KERNELS, IN_PARTS, BY_LOOPS, BY_BLAS, NOT_SO, NO_DTYPE };

/* `q` is filled in if OpenBLAS, or a loop, multiplies. */
static int choose_way(const rl_product *p, plan *q) {
    if (p->dtype == RL_BF16 || p->dtype == RL_F16 || p->dtype == RL_I8)
        return rl_product_serves(p->dtype) && !p->add ? BY_KERNELS : NOT_SO;
    if (p->dtype < RL_F32 || p->dtype > RL_C128 || p->m < 0 || p->n < 0 || p->k < 0 || p->batch < 0) return NO_DTYPE;
    if (p->m == 0 || p->n == 0 || p->batch == 0) return NOTHING;
    if (p->m > 1 && p->n > 1 && (rl_product_serves(p->dtype) || rl_product_takes_pairs(p))) return BY_KERNELS;
    double work = (double)p->m * (double)p->n * (double)p->k;
    if (p->batch == 1 && p->k >= 8192 && p->m * p->n <= 8192 && work >= 1e5) return IN_PARTS;
    *q = (plan){.p = *p, .item = item_size[p->dtype], .tiles_m = 1, .tiles_n = 1};
    if (work <= 64) return BY_LOOPS; /* with k == 0 the loop has no terms, and leaves C, or zeros in it */
    if (prepare(q)) return BY_BLAS;
    return work <= 256 ? BY_LOOPS : NOT_SO; /* cheaper than the copy that the caller would make */
}

int rl_multiply_takes(const rl_product *p) {
    plan q;
    int way = choose_way(p, &q);
    if (way != IN_PARTS) return way < NOT_SO;
    q = (plan){.p = *p, .item = item_size[p->dtype]};
    return prepare(&q); /* a part of K needs no more */
}

int rl_multiply(const rl_product *p, int parallel) {
    plan q;
    int way = choose_way(p, &q);
    if (way == NOTHING) return 0;
    if (way == NO_DTYPE) return -3;
    if (way == NOT_SO || ((p->then || p->wide) && way != BY_KERNELS)) return -1;
    if (way == BY_KERNELS) return rl_product_run(p, parallel);
    if (way == IN_PARTS) return multiply_in_parts(p, parallel);
    q.small = way == BY_LOOPS;
    if (way == BY_BLAS) {
        if (!lib.handle) return -2;
        choose_tiles(&q);
    }
    int64_t tasks = p->batch * q.tiles_m * q.tiles_n;
    double work = (double)p->m * (double)p->n * (double)p->k;
    double ns =
        work / (double)(q.tiles_m * q.tiles_n) / 30 + 50; /* roughly 60 GFlop/s: only for the chunk size */
    double least = rl_shared_from_ns(ns * (double)tasks); /* of a chunk */
    if (!parallel || ns * (double)tasks < least) return (int)run_tiles(&q, 0, tasks);
    return (int)rl_parallel_for(run_tiles, &q, tasks, ns < least ? (int64_t)(least / ns) : 1);
}
