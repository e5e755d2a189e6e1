/* The steps of a recurrence whose rows do not meet: whoever has some rows of the batch goes with them through all steps
 * (docs/design/compiler.md, Recurrences). */
#ifndef RL_RECURRENCE_H
#define RL_RECURRENCE_H
#include <stdint.h>

#include "pool.h"
#include "product.h"

/* Where an operand begins at the first step, and how many bytes further at each that follows. */
typedef struct {
    char *at;
    int64_t by;
} rl_recurring;

/* What is done at each step: a kernel on `n` operands, `items` for each row, each of about `cost` ns; or, where there
 * is no kernel, a product of two operands into a third, for all rows. */
typedef struct {
    rl_kernel kernel;
    rl_recurring *operands;
    int n;
    const int64_t *params;
    int64_t items;
    double cost;
    rl_product product;
} rl_recurring_part;

enum { RL_RECURRING_OPERANDS = 30, RL_RECURRING_ROWS = 4 /* of a thread, at least: tiles of fewer waste turns */ };

/* `shared`: bytes that the rows have in common, which each thread reads at each step. */
typedef struct {
    int64_t rows, steps, n, shared;
    rl_recurring_part *parts;
    int failed;       /* the part that has failed, if one has, and */
    int64_t error[4]; /* what its kernel says of it */
} rl_recurrence;

/* Do all steps. Returns 0; 1 where a kernel fails; RL_NO_MEMORY. */
int rl_recurrence_run(rl_recurrence *r);

#endif
