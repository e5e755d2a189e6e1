#include "recurrence.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "blas.h"
#include "integers.h"

typedef struct {
    rl_recurrence *r;
    int64_t pieces;
    atomic_flag failed; /* the first part that fails tells why */
} job;

static int64_t fail(job *j, int part, const int64_t *error) {
    if (!atomic_flag_test_and_set(&j->failed)) {
        j->r->failed = part;
        memcpy(j->r->error, error, sizeof j->r->error);
    }
    return 1;
}

static char *operand(const rl_recurring_part *x, int i, int64_t step) {
    return (char *)((uintptr_t)x->operands[i].at + (uintptr_t)(step * x->operands[i].by));
}

/* Do a part of one step, for rows [from, to). All rows together may be shared with other threads once more. */
static int64_t run_part(job *j, int part, int64_t step, int64_t from, int64_t to) {
    const rl_recurring_part *x = &j->r->parts[part];
    if (!x->kernel) {
        rl_product p = x->product;
        p.a = operand(x, 0, step) + from * p.a_rs, p.b = operand(x, 1, step);
        p.c = operand(x, 2, step) + from * p.c_rs, p.m = to - from;
        return rl_multiply(&p, 1);
    }
    void *at[RL_RECURRING_OPERANDS + 1];
    int64_t error[4] = {0}, code;
    for (int i = 0; i < x->n; i++) at[i] = operand(x, i, step);
    at[x->n] = error;
    if (to - from == j->r->rows)
        code = rl_launch(x->kernel, at, x->params, to * x->items, x->cost);
    else
        code = x->kernel(at, x->params, from * x->items, to * x->items);
    return code != 0 || error[0] != 0 ? fail(j, part, error) : 0;
}

static int64_t run_pieces(void *ctx, int64_t begin, int64_t end) {
    job *j = ctx;
    int64_t rows = j->r->rows, from = begin * rows / j->pieces, to = end * rows / j->pieces;
    for (int64_t step = 0; step < j->r->steps; step++)
        for (int part = 0; part < j->r->n; part++) {
            int64_t code = run_part(j, part, step, from, to);
            if (code != 0) return code;
        }
    return 0;
}

/* About how many ns a step takes for all rows. */
static double cost_of(const rl_recurrence *r) {
    double ns = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const rl_recurring_part *x = &r->parts[i];
        const rl_product *p = &x->product;
        ns += x->kernel ? x->cost * (double)(r->rows * x->items)
                        : (double)p->m * (double)p->k * (double)(p->n * p->batch) / (p->dtype == RL_F64 ? 40 : 80);
    }
    return ns;
}

/* Threads take rows through all steps if the data that rows share stay in the second-level cache of each. Otherwise
 * each step is shared by itself, so that a thread reads only a part of the data. */
int rl_recurrence_run(rl_recurrence *r) {
    job j = {r, 1, ATOMIC_FLAG_INIT};
    int threads = rl_num_threads();
    double ns = cost_of(r) * (double)r->steps;
    if (threads > 1 && !rl_in_parallel() && r->shared <= rl_product_cache_room() * 3 / 2 && ns >= rl_shared_from_ns(ns))
        j.pieces = larger(smaller(threads, r->rows / RL_RECURRING_ROWS), 1);
    if (j.pieces == 1) return (int)run_pieces(&j, 0, 1);
    return (int)rl_parallel_for(run_pieces, &j, j.pieces, 1);
}
