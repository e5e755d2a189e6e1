/* Products whose batch has dimensions that cannot be merged into one, as those of `einsum` over heads. */
#include "product_batches.h"

#include "pool.h"

static rl_product product_at(const rl_products *all, int64_t x) {
    rl_product p = all->first;
    p.first += x * p.batch;
    for (int64_t d = all->nd - 1; d >= 0; x /= all->size[d--]) {
        int64_t i = x % all->size[d];
        if (p.a) p.a += i * all->stride[0][d] * all->item[0]; /* NULL: without elements */
        if (p.b) p.b += i * all->stride[1][d] * all->item[1];
        if (p.c) p.c += i * all->stride[2][d] * all->item[2];
    }
    return p;
}

static int64_t multiply_some(void *ctx, int64_t begin, int64_t end) {
    const rl_products *all = ctx;
    for (int64_t x = begin; x < end; x++) {
        rl_product p = product_at(all, x);
        int rc = all->multiply(&p);
        if (rc != 0) return rc;
    }
    return 0;
}

/* To share each of them in turn among the threads would mean a wait for each: eight launches of 50 us for eight heads.
   */
int rl_multiply_all(const rl_products *all, int shares) {
    const double most = 1e6, least = 10000; /* ns of one that is not cut, and of a chunk */
    const rl_product *p = &all->first;
    int64_t count = 1, threads = rl_num_threads();
    for (int64_t d = 0; d < all->nd; d++) count *= all->size[d];
    double ns = (double)p->batch * ((double)p->m * (double)p->n * (double)p->k / 80 + 50);
    int even = count % threads == 0 || count >= 4 * threads;
    if (!shares || !even || count < 2 || ns > most || ns * (double)count < rl_shared_from_ns(ns * (double)count))
        return (int)multiply_some((void *)all, 0, count);
    return (int)rl_parallel_for(multiply_some, (void *)all, count, ns < least ? (int64_t)(least / ns) : 1);
}
