/* What a program may hand over wrong to a package (test_runtime.py, `_package`), one line each: a name, the status, and
 * the message. `misuse MODEL FILE...`: the other files are opened, and are lines by their names. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rushlight.h"

enum { ROWS = 4, COLUMNS = 6, RUNS = 50, THREADS = 4 };

static rushlight_model *model;
static const int64_t sizes[] = {ROWS, COLUMNS}, rows[] = {ROWS};

/* The arguments x (4, 6), i (4,) and n (4,), and the results (4, 6) and (4,). */
typedef struct call {
    struct call *before;
    float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    int64_t i[ROWS], n[ROWS], z[ROWS];
    rushlight_tensor in[3], out[2];
} call;

/* Freed at the end. */
static call *made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static call *fresh(int seed) {
    call *c = calloc(1, sizeof *c);
    if (!c) exit(2);
    pthread_mutex_lock(&lock);
    c->before = made, made = c;
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < ROWS * COLUMNS; k++) c->x[k] = (float)(k * (seed + 1) % 7) / 7;
    for (int k = 0; k < ROWS; k++) c->i[k] = (k + seed) % 5, c->n[k] = 1 + k;
    c->in[0] = (rushlight_tensor){c->x, RUSHLIGHT_FLOAT32, 2, sizes, NULL};
    c->in[1] = (rushlight_tensor){c->i, RUSHLIGHT_INT64, 1, rows, NULL};
    c->in[2] = (rushlight_tensor){c->n, RUSHLIGHT_INT64, 1, rows, NULL};
    c->out[0] = (rushlight_tensor){c->y, RUSHLIGHT_FLOAT32, 2, sizes, NULL};
    c->out[1] = (rushlight_tensor){c->z, RUSHLIGHT_INT64, 1, rows, NULL};
    return c;
}

static rushlight_status run(call *c) { return rushlight_run(model, c->in, 3, c->out, 2); }

static void line(const char *name, int status) {
    printf("%s|%d|%s\n", name, status, status ? rushlight_message() : "");
}

/* A call with one thing changed. */
#define WRONG(NAME, ...)    \
    {                       \
        call *c = fresh(0); \
        __VA_ARGS__;        \
        line(NAME, run(c)); \
    }

static rushlight_tensor of(void *data, const int64_t *strides) {
    return (rushlight_tensor){data, RUSHLIGHT_FLOAT32, 2, sizes, strides};
}

/* Whether a call whose tensors lie otherwise gives what `c` gives. */
static void lies_otherwise(const char *name, rushlight_tensor x, rushlight_tensor y, float *found) {
    call *c = fresh(0), *d = fresh(0);
    int status = run(c);
    d->in[0] = x, d->out[0] = y;
    if (!status) status = run(d);
    for (int k = 0; k < ROWS && !status; k++)
        for (int j = 0; j < COLUMNS; j++) {
            int64_t at = y.strides ? k * y.strides[0] + j * y.strides[1] : k * COLUMNS + j;
            if (memcmp(&c->y[k * COLUMNS + j], found + at, 4)) status = -1;
        }
    line(name, status);
}

static void tensors_that_lie_otherwise(void) {
    call *c = fresh(0);
    static const int64_t turned[] = {1, ROWS}, back[] = {-COLUMNS, 1}, apart[] = {2 * COLUMNS, 2};
    float *x = calloc(ROWS * COLUMNS + 1, 4), *y = calloc(4 * ROWS * COLUMNS, 4);
    for (int k = 0; k < ROWS; k++)
        for (int j = 0; j < COLUMNS; j++) x[k + j * ROWS] = c->x[k * COLUMNS + j];
    lies_otherwise("turned", of(x, turned), of(y, NULL), y);
    for (int k = 0; k < ROWS; k++)
        for (int j = 0; j < COLUMNS; j++) x[(ROWS - 1 - k) * COLUMNS + j] = c->x[k * COLUMNS + j];
    lies_otherwise("backwards", of(x + (ROWS - 1) * COLUMNS, back), of(y, apart), y);
    memcpy((char *)x + 1, c->x, sizeof c->x);
    lies_otherwise("unaligned", of((char *)x + 1, NULL), of(y, NULL), y);
    memcpy(y, c->x, sizeof c->x);
    lies_otherwise("in place", of(y, NULL), of(y, NULL), y);
    free(x);
    free(y);
}

/* Calls of one model at the same time, each with numbers of its own. */
static void *many_runs(void *number) {
    int seed = *(int *)number;
    call *first = fresh(seed);
    int status = run(first);
    for (int k = 0; k < RUNS && !status; k++) {
        call *c = fresh(seed);
        status = run(c);
        if (!status && (memcmp(c->y, first->y, sizeof c->y) || memcmp(c->z, first->z, sizeof c->z))) status = -1;
    }
    call *alone = fresh(seed + 1);
    if (!status) status = run(alone);
    *(int *)number = status;
    return NULL;
}

static void several_threads(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS], status = 0;
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = k;
        if (pthread_create(&threads[k], NULL, many_runs, &numbers[k])) exit(2);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        status = status ? status : numbers[k];
    }
    line("several threads", status);
}

int main(int argc, char **argv) {
    rushlight_model *other;
    rushlight_value v;
    int which = 0;
    if (argc < 2) return 2;
    if (rushlight_open(argv[1], &model)) {
        puts(rushlight_message());
        return 1;
    }
    rushlight_close(NULL);
    line("good", run(fresh(0)));
    line("open NULL path", rushlight_open(NULL, &other));
    line("open NULL model", rushlight_open(argv[1], NULL));
    line("run NULL model", rushlight_run(NULL, NULL, 0, NULL, 0));
    line("run NULL arguments", rushlight_run(model, NULL, 3, fresh(0)->out, 2));
    line("run NULL results", rushlight_run(model, fresh(0)->in, 3, NULL, 2));
    line("find NULL", rushlight_find_case(model, fresh(0)->in, 3, NULL));
    line("find", rushlight_find_case(model, fresh(0)->in, 3, &which));
    line("value NULL", rushlight_argument(model, 0, 0, NULL));
    line("value of NULL", rushlight_result(NULL, 0, 0, &v));
    line("argument 3", rushlight_argument(model, 0, 3, &v));
    line("result -1", rushlight_result(model, 0, -1, &v));
    line("case 1", rushlight_result(model, 1, 0, &v));
    line("counts of NULL", rushlight_argument_count(NULL) + rushlight_result_count(NULL) + rushlight_case_count(NULL));
    line("two arguments", rushlight_run(model, fresh(0)->in, 2, fresh(0)->out, 2));
    line("three results", rushlight_run(model, fresh(0)->in, 3, fresh(0)->out, 3));
    WRONG("NULL data", c->in[0].data = NULL)
    WRONG("NULL result", c->out[1].data = NULL)
    WRONG("NULL sizes", c->in[0].sizes = NULL)
    WRONG("another dtype", c->in[0].dtype = RUSHLIGHT_FLOAT64)
    WRONG("no dtype", c->in[0].dtype = 77)
    WRONG("another dtype of a result", c->out[1].dtype = RUSHLIGHT_INT32)
    WRONG("another rank", c->in[0].rank = 1)
    WRONG("a negative rank", c->in[0].rank = -1)
    WRONG("another size", c->in[0].sizes = (int64_t[]){ROWS, COLUMNS + 1})
    WRONG("a negative size", c->in[1].sizes = (int64_t[]){-ROWS})
    WRONG("another size of a result", c->out[0].sizes = (int64_t[]){ROWS + 1, COLUMNS})
    WRONG("a stride of 0 of a result", c->out[0].strides = (int64_t[]){COLUMNS, 0})
    WRONG("strides of a result that overlap", c->out[0].strides = (int64_t[]){COLUMNS - 1, 1})
    WRONG("strides that lead out of memory", c->in[0].strides = (int64_t[]){INT64_MAX, 1})
    WRONG("an index too large", c->i[2] = 5)
    WRONG("a negative index", c->i[0] = -6)
    WRONG("a division by zero", c->n[3] = 0)
    tensors_that_lie_otherwise();
    several_threads();
    for (int k = 2; k < argc; k++) {
        const char *name = strrchr(argv[k], '/');
        int status = rushlight_open(argv[k], &other);
        line(name ? name + 1 : argv[k], status);
        if (!status) rushlight_close(other);
        if (status && other) return 3;
    }
    rushlight_close(model);
    while (made) {
        call *before = made->before;
        free(made);
        made = before;
    }
    return 0;
}
