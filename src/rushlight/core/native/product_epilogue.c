/* The kernel that follows a product, run on pieces of it. */
#include <string.h>

#include "integers.h"
#include "product.h"

/* Set the kernel's arguments for the elements from row i and column j on, of product number b. */
typedef struct {
    void *pointers[RL_MOST_OPERANDS + 1];
    int64_t params[RL_MOST_PARAMS], error[4];
} arguments;

static void place(const rl_epilogue *e, int64_t b, int64_t i, int64_t j, arguments *to) {
    void **pointers = to->pointers;
    memcpy(to->params, e->params, (size_t)e->n_params * sizeof(int64_t));
    /* As integers, because an operand may be numbers, not an address. */
    for (int64_t o = 0; o < e->n; o++)
        pointers[o] = (void *)((uintptr_t)e->pointers[o] +
                               (uintptr_t)(i * e->params[2 + 2 * o] + j * e->params[3 + 2 * o]));
    for (int64_t d = e->nd - 1; d >= 0; b /= e->sizes[d--])
        for (int64_t o = 0; o < e->n; o++)
            pointers[o] = (void *)((uintptr_t)pointers[o] + (uintptr_t)(b % e->sizes[d] * e->steps[d * e->n + o]));
    memset(to->error, 0, sizeof to->error);
    pointers[e->n] = to->error;
}

/* C is at `c` if that is not NULL. */
static void run_kernel(const rl_epilogue *e, arguments *a, int64_t m, int64_t n, char *c, int64_t c_row, int64_t item) {
    a->params[0] = m, a->params[1] = n;
    if (c) a->pointers[e->at] = c, a->params[2 + 2 * e->at] = c_row, a->params[3 + 2 * e->at] = item;
    e->kernel(a->pointers, a->params, 0, m * ceil_div(n, e->block));
}

void rl_product_go_on(const rl_product *p, int64_t b, int64_t i, int64_t j, int64_t m, int64_t n, char *c,
                      int64_t c_row, int64_t item) {
    arguments a;
    place(p->then, b + p->first, i, j, &a);
    run_kernel(p->then, &a, m, n, c, c_row, item);
}

void rl_product_go_on_lines(const rl_epilogue *e, int64_t b, int64_t i, int64_t j, int64_t rows, int64_t lines,
                            int64_t n, char *c, int64_t c_row, int64_t c_line, int64_t item) {
    arguments a;
    int64_t step[RL_MOST_OPERANDS];
    place(e, b, i, j, &a);
    for (int64_t o = 0; o < e->n; o++) step[o] = a.params[2 + 2 * o], a.params[2 + 2 * o] = n * a.params[3 + 2 * o];
    if (c) step[e->at] = c_row;
    for (int64_t r = 0; r < rows; r++) {
        run_kernel(e, &a, lines, n, r == 0 ? c : NULL, c_line, item);
        for (int64_t o = 0; o < e->n; o++) a.pointers[o] = (void *)((uintptr_t)a.pointers[o] + (uintptr_t)step[o]);
    }
}
