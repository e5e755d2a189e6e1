/* The steps of a recurrence whose rows are independent: a thread takes some rows of the batch through all steps
 * (docs/design/compiler.md, Recurrences). */
#ifndef RL_RECURRENCE_H
#define RL_RECURRENCE_H
#include <stdint.h>

#include "pool.h"
#include "product.h"

/* The address of an operand at the first step, and how many bytes later it is at each further one. */
typedef struct {
    char *at;
    int64_t by;
} rl_recurring;

/* A part of each step: a kernel on `n` operands, with `items` for each row, each of about `cost` ns; or, if there is no
 * kernel, a product of two operands into a third, for all rows. */
typedef struct {
    rl_kernel kernel;
    rl_recurring *operands;
    int n;
    const int64_t *params;
    int64_t items;
    double cost;
    rl_product product;
} rl_recurring_part;

enum { RL_RECURRING_OPERANDS = 30, RL_RECURRING_ROWS = 4 /* of a thread: fewer waste turns */ };

/* `shared`: the bytes that rows share, which each thread reads at each step. */
typedef struct {
    int64_t rows, steps, n, shared;
    rl_recurring_part *parts;
    int failed;       /* the part that has failed, if any, and */
    int64_t error[4]; /* the error of its kernel */
} rl_recurrence;

/* Do all steps. Returns 0; 1 if a kernel fails; RL_NO_MEMORY. */
int rl_recurrence_run(rl_recurrence *r);

#endif
