/* Products with long sums, whose blocks of K are shared among the threads. */
#include "alloc.h"
#include "blas.h"
#include "integers.h"
#include "product_pairs.h"

#define ADD_PART(NAME, T)                                                                                             \
    static void NAME(const rl_product *p, const char *from, int add) {                                                \
        const T *part = (const T *)from;                                                                              \
        for (int64_t i = 0; i < p->m; i++)                                                                            \
            for (int64_t j = 0; j < p->n; j++) {                                                                      \
                T *to = (T *)(p->c + i * p->c_rs + j * p->c_cs);                                                      \
                *to = add ? *to + part[i * p->n + j] : part[i * p->n + j];                                            \
            }                                                                                                         \
    }
ADD_PART(add_part_f32, float)
ADD_PART(add_part_f64, double)

/* A small C with a long sum (the weight gradient of a narrow layer) has too few tiles for the threads: the blocks of K
 * are made in parallel, and added in order. */
int rl_product_in_parts(const rl_product *p, int pairs) {
    enum { AT_A_TIME = 64 };
    int64_t item = p->dtype == RL_F64 ? 8 : 4, size = p->m * p->n * item, depth = rl_product_depth(p->k);
    int64_t blocks = p->k / depth;
    char *parts = rl_alloc((size_t)(AT_A_TIME * size));
    if (!parts) return RL_NO_MEMORY;
    int rc = 0, add = p->add;
    for (int64_t done = 0; done < p->k && rc == 0;) {
        int64_t count = smaller(blocks - done / depth, AT_A_TIME);
        rl_product r = *p;
        r.a += done * p->a_cs, r.b += done * p->b_rs, r.c = parts, r.add = 0;
        r.c_rs = p->n * item, r.c_cs = item, r.c_bs = size;
        r.batch = larger(count, 1), r.k = count ? depth : p->k - done; /* behind the whole blocks, the rest */
        r.a_bs = depth * p->a_cs, r.b_bs = depth * p->b_rs;
        rc = rl_product_run_parts(&r, pairs, 1);
        for (int64_t i = 0; i < r.batch && rc == 0; i++, add = 1)
            (item == 4 ? add_part_f32 : add_part_f64)(p, parts + i * size, add);
        done += r.batch * r.k;
    }
    rl_free(parts, (size_t)(AT_A_TIME * size));
    return rc;
}
