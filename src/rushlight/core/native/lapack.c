#include "lapack.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "blas.h"
#include "lapack_internal.h"
#include "pool.h"

static char error_text[128] = "";

const char *rl_lapack_error(void) { return error_text; }

/* ---- the library's functions ------------------------------------------------------------------------------------ */

static void *_Atomic functions[FN_COUNT][4];

void *rl_lapack_function(int which, int dtype) {
    static const char *const names[FN_COUNT][2] = {
#define X(NAME, REAL, COMPLEX) {REAL, COMPLEX},
        RL_LAPACK_FUNCTIONS(X)
#undef X
    };
    void *found = atomic_load_explicit(&functions[which][dtype], memory_order_relaxed);
    if (found) return found;
    char name[64];
    const char *plain = names[which][dtype >= RL_C64], *mark = strchr(plain, '?');
    if (mark)
        snprintf(name, sizeof name, "%.*s%c%s", (int)(mark - plain), plain, "sdcz"[dtype], mark + 1);
    else
        snprintf(name, sizeof name, "%c%s", "sdcz"[dtype], plain);
    found = rl_blas_symbol(name);
    if (!found) snprintf(error_text, sizeof error_text, "the BLAS library has no function %s", name);
    atomic_store_explicit(&functions[which][dtype], found, memory_order_relaxed);
    return found;
}

/* ---- the routines ------------------------------------------------------------------------------------------------ */

/* pivots -> permutation: begin with the identity, and make LAPACK's exchanges in order. */
static int64_t permutation_one(const task *t, char *work, char **p) {
    (void)work;
    const rl_matrix *in = &t->call->args[0], *out = &t->call->args[1];
    const int32_t *pivots = (const int32_t *)p[0];
    int64_t *perm = (int64_t *)p[1], s = out->stride[0], n = out->size[0];
    for (int64_t i = 0; i < n; i++) perm[i * s] = i;
    for (int64_t i = 0; i < in->size[0]; i++) {
        int64_t j = pivots[i * in->stride[0]] - 1;
        if (j < 0 || j >= n) return i + 1;
        int64_t x = perm[i * s];
        perm[i * s] = perm[j * s], perm[j * s] = x;
    }
    return 0;
}

static int permutation_plan(task *t) {
    t->one = permutation_one;
    t->cost = 2.0 * (double)t->call->args[1].size[0];
    return 0;
}

#define PLANS(name) {rl_##name##_plan_f32, rl_##name##_plan_f64, rl_##name##_plan_c64, rl_##name##_plan_c128}
static const plan_fn plans[RL_LAPACK_ROUTINES][4] = {
    PLANS(cholesky), PLANS(triangular_solve), PLANS(lu), PLANS(lu_solve), PLANS(qr), PLANS(geqrf), PLANS(eigh),
    PLANS(svd), PLANS(eig), PLANS(lstsq), PLANS(ldl), PLANS(ldl_solve),
    {permutation_plan, permutation_plan, permutation_plan, permutation_plan}, PLANS(matrix_exp),
    PLANS(matrix_exp_change),
};

/* The position of info among a routine's operands; -1 for a routine that cannot fail. */
static const int info_at[RL_LAPACK_ROUTINES] = {2, -1, 3, -1, -1, -1, 3, 4, 3, 6, 3, -1, -1, -1, -1};

/* ---- the loop over the batch ------------------------------------------------------------------------------------- */

static int64_t run_range(void *context, int64_t begin, int64_t end) {
    const task *t = context;
    rl_lapack_call *c = t->call;
    char *work = NULL, *p[RL_LAPACK_ARGS];
    int64_t index[RL_LAPACK_BATCH];
    int at = info_at[c->routine];
    /* A multiple of the pieces that are taken from it: a guarded block ends with its last byte, and only then begins
     * aligned. */
    size_t bytes = ((size_t)t->bytes + 63) / 64 * 64;
    if (bytes && !(work = rl_alloc(bytes))) return -2;
    int64_t rest = begin;
    for (int a = 0; a < c->n_args; a++) p[a] = c->args[a].data;
    for (int d = c->batch_dims - 1; d >= 0; d--) {
        index[d] = rest % c->batch_size[d], rest /= c->batch_size[d];
        for (int a = 0; a < c->n_args; a++) p[a] += index[d] * c->args[a].batch_stride[d] * c->args[a].item;
    }
    /* The library is entered once for about 10 us of work, so that a fork, which waits for that, waits no longer. */
    int64_t block = t->cost > 10000 ? 1 : (int64_t)(10000 / (t->cost + 1)) + 1;
    for (int64_t i = begin; i < end; i++) {
        char *now[RL_LAPACK_ARGS];
        for (int a = 0; a < c->n_args; a++) now[a] = c->args[a].data ? p[a] : NULL;
        if (!t->ours && (i - begin) % block == 0 && rl_blas_enter() != 0) {
            if (work) rl_free(work, bytes);
            return -2;
        }
        int64_t info = t->one(t, work, now);
        if (!t->ours && ((i - begin) % block == block - 1 || i == end - 1)) rl_blas_leave();
        if (t->ours && info == RL_NO_MEMORY) {
            if (work) rl_free(work, bytes);
            return -2;
        }
        if (at >= 0 && now[at]) *(int32_t *)now[at] = (int32_t)info;
        if (info) {
            /* The first error of the batch is reported; the others are only in info. */
            static atomic_flag busy = ATOMIC_FLAG_INIT;
            while (atomic_flag_test_and_set(&busy)) {}
            if (c->failed < 0 || i < c->failed) c->failed = i, c->info = info;
            atomic_flag_clear(&busy);
        }
        for (int d = c->batch_dims - 1; d >= 0; d--) {
            for (int a = 0; a < c->n_args; a++) p[a] += c->args[a].batch_stride[d] * c->args[a].item;
            if (++index[d] < c->batch_size[d]) break;
            for (int a = 0; a < c->n_args; a++)
                p[a] -= c->batch_size[d] * c->args[a].batch_stride[d] * c->args[a].item;
            index[d] = 0;
        }
    }
    if (work) rl_free(work, bytes);
    return 0;
}

int64_t rl_lapack(rl_lapack_call *c) {
    task t = {.call = c};
    int64_t batch = 1;
    c->failed = -1, c->info = 0;
    for (int d = 0; d < c->batch_dims; d++) batch *= c->batch_size[d];
    if (batch == 0) return 0;
    if (plans[c->routine][c->dtype](&t)) return -1;
    /* Chunks of at least 20 us: shorter ones are not worth waking a thread. */
    double ns = t.cost + 50;
    double from = rl_shared_from_ns(ns * (double)batch);
    if (batch == 1 || ns * (double)batch < from) return run_range(&t, 0, batch);
    return rl_parallel_for(run_range, &t, batch, ns < from ? (int64_t)(from / ns) : 1);
}
