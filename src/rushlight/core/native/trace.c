#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "blas.h"
#include "conv.h"
#include "order.h"

enum { LAUNCH = 1, PRODUCT, CONV, ATTENTION, ORDER, LEAST };
enum { MOST_POINTERS = 1024 }; /* of a launch */

typedef struct {
    uintptr_t at;
    int64_t bytes, first, last;
    int lives;
} block;

struct rl_trace {
    int64_t *words, n, room;
    block *blocks;
    int64_t n_blocks, room_for_blocks, records;
    const char *failure;
    uintptr_t bases[RL_MOST_OPERANDS];
};

_Thread_local rl_trace *rl_tracing;

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

int rl_trace_begin(void) {
    rl_tracing = calloc(1, sizeof *rl_tracing);
    return rl_tracing != NULL;
}

void rl_trace_end(void) {
    if (!rl_tracing) return;
    free(rl_tracing->words);
    free(rl_tracing->blocks);
    free(rl_tracing);
    rl_tracing = NULL;
}

static void fail(const char *why) {
    if (!rl_tracing->failure) rl_tracing->failure = why;
}

const char *rl_trace_failure(void) { return rl_tracing->failure; }

/* Make room for one more item of `size` bytes; returns whether there is. */
static int grown(void **items, int64_t n, int64_t *room, size_t size) {
    if (n < *room) return 1;
    int64_t wanted = *room ? 2 * *room : 256;
    void *more = realloc(*items, (size_t)wanted * size);
    if (!more) {
        fail("there is no memory for the trace");
        return 0;
    }
    *items = more, *room = wanted;
    return 1;
}

void rl_trace_block(const void *p, size_t bytes) {
    rl_trace *t = rl_tracing;
    if (!p || !grown((void **)&t->blocks, t->n_blocks, &t->room_for_blocks, sizeof *t->blocks)) return;
    t->blocks[t->n_blocks++] = (block){(uintptr_t)p, (int64_t)bytes, -1, -1, 1};
}

void rl_trace_drop(const void *p) {
    for (int64_t k = rl_tracing->n_blocks - 1; k >= 0; k--) {
        block *b = &rl_tracing->blocks[k];
        if (b->lives && b->at == (uintptr_t)p) {
            b->lives = 0;
            return;
        }
    }
}

/* The block that an address lies in, or -1. */
static int64_t block_of(uintptr_t p) {
    for (int64_t k = rl_tracing->n_blocks - 1; k >= 0; k--) {
        block *b = &rl_tracing->blocks[k];
        if (b->lives && p >= b->at && p < b->at + (uintptr_t)(b->bytes > 0 ? b->bytes : 1)) return k;
    }
    fail("an operand lies in no block of memory that is known");
    return -1;
}

static void touch(int64_t k, int64_t record) {
    block *b = &rl_tracing->blocks[k];
    if (b->first < 0) b->first = record;
    b->last = record;
}

int rl_trace_place(const void *p, int64_t *number, int64_t *offset) {
    int64_t k = *number = block_of((uintptr_t)p);
    if (k < 0) return 0;
    if (rl_tracing->blocks[k].first < 0) touch(k, 0);
    touch(k, INT64_MAX);
    *offset = (int64_t)((uintptr_t)p - rl_tracing->blocks[k].at);
    return 1;
}

const int64_t *rl_trace_words(int64_t *n) {
    *n = rl_tracing->n;
    return rl_tracing->words;
}

int64_t rl_trace_blocks(void) { return rl_tracing->n_blocks; }

void rl_trace_block_at(int64_t k, int64_t *bytes, int64_t *first, int64_t *last) {
    const block *b = &rl_tracing->blocks[k];
    *bytes = b->bytes, *first = b->first, *last = b->last;
}

/* ---- words, written and read by the same functions -------------------------------------------------------------- */

/* `from`: NULL if words are written. */
typedef struct {
    const rl_trace_run_args *from;
    int64_t at;
    int bad;
} words;

static void number(words *w, int64_t *x) {
    if (w->from) {
        if (w->at < w->from->n)
            *x = w->from->words[w->at++];
        else
            w->bad = 1, *x = 0;
    } else if (grown((void **)&rl_tracing->words, rl_tracing->n, &rl_tracing->room, sizeof(int64_t))) {
        rl_tracing->words[rl_tracing->n++] = *x;
    }
}

static void numbers(words *w, int64_t n, int64_t *x) {
    for (int64_t i = 0; i < n; i++) number(w, &x[i]);
}

static void integer(words *w, int *x) {
    int64_t v = *x;
    number(w, &v);
    *x = (int)v;
}

static void real(words *w, double *x) {
    int64_t v;
    memcpy(&v, x, sizeof v);
    number(w, &v);
    memcpy(x, &v, sizeof v);
}

/* A number of things, for at most `most` of which there is room. */
static void count(words *w, int64_t *n, int64_t most) {
    number(w, n);
    if (*n < 0 || *n > most) {
        w->bad = 1, *n = 0;
        if (!w->from) fail("a kernel has more operands than a trace holds");
    }
}

static void kernel(words *w, rl_kernel *k) {
    int64_t v = (int64_t)(uintptr_t)*k;
    number(w, &v);
    if (!w->from) return;
    *k = NULL;
    if (v < 1 || v > w->from->n_kernels)
        w->bad = 1;
    else
        *k = w->from->kernels[v - 1];
}

/* An address at so many bytes from one in a block; `base` 0: in no block. */
static void address_from(words *w, void **p, uintptr_t base) {
    int64_t where = -1, offset = (int64_t)(uintptr_t)*p;
    if (!w->from && base) {
        where = block_of(base);
        if (where >= 0) {
            touch(where, rl_tracing->records);
            offset = (int64_t)((uintptr_t)*p - rl_tracing->blocks[where].at);
        }
    }
    number(w, &where);
    number(w, &offset);
    if (!w->from) return;
    if (where < -1 || where >= w->from->n_blocks)
        w->bad = 1, *p = NULL;
    else /* a sum of integers: an operand may begin before its block, and one without elements anywhere */
        *p = (void *)((where < 0 ? 0 : (uintptr_t)w->from->blocks[where]) + (uintptr_t)offset);
}

static void address(words *w, void **p) { address_from(w, p, (uintptr_t)*p); }

static void chars(words *w, char **p) {
    void *x = *p;
    address(w, &x);
    *p = x;
}

static void const_chars(words *w, const char **p) {
    void *x = (void *)(uintptr_t)*p;
    address(w, &x);
    *p = x;
}

/* The kernel that follows a product: `*e` is NULL if there is none; if words are read it is at `own`. */
static void epilogue(words *w, const rl_epilogue **then, rl_epilogue *own) {
    int64_t is = *then != NULL;
    number(w, &is);
    if (!is) {
        *then = NULL;
        return;
    }
    if (!w->from) *own = **then;
    rl_epilogue *e = own;
    kernel(w, (rl_kernel *)&e->kernel);
    count(w, &e->n, RL_MOST_OPERANDS);
    number(w, &e->at);
    count(w, &e->n_params, RL_MOST_PARAMS);
    count(w, &e->nd, RL_MOST_DIMS);
    real(w, &e->ns);
    number(w, &e->block);
    for (int64_t o = 0; o < e->n; o++) address_from(w, &e->pointers[o], w->from ? 0 : rl_tracing->bases[o]);
    numbers(w, e->n_params, e->params);
    numbers(w, e->nd, e->sizes);
    numbers(w, e->nd * e->n, e->steps);
    *then = own;
}

static void product(words *w, rl_product *p, rl_epilogue *own) {
    integer(w, &p->dtype);
    integer(w, &p->add);
    number(w, &p->batch);
    number(w, &p->m);
    number(w, &p->n);
    number(w, &p->k);
    const_chars(w, &p->a);
    const_chars(w, &p->b);
    chars(w, &p->c);
    int64_t *strides[] = {&p->a_bs, &p->a_rs, &p->a_cs, &p->b_bs, &p->b_rs, &p->b_cs, &p->c_bs, &p->c_rs, &p->c_cs};
    for (int i = 0; i < 9; i++) number(w, strides[i]);
    number(w, &p->first);
    integer(w, &p->wide);
    epilogue(w, &p->then, own);
    if (p->dtype < 0 || p->dtype >= RL_PRODUCT_DTYPES) w->bad = 1, p->dtype = 0;
}

/* of: in_sp, out_sp, k_sp, stride, pad and dil. */
typedef struct {
    int mode, dtype;
    int64_t nd, sizes[4], of[6][3]; /* sizes: N, Cin, Cout and groups */
    void *x, *w, *y;
    const rl_epilogue *then;
} convolution;

static void convolved(words *w, convolution *c, rl_epilogue *own) {
    integer(w, &c->mode);
    integer(w, &c->dtype);
    count(w, &c->nd, 3);
    numbers(w, 4, c->sizes);
    for (int i = 0; i < 6; i++) numbers(w, c->nd, c->of[i]);
    address(w, &c->x);
    address(w, &c->w);
    address(w, &c->y);
    epilogue(w, &c->then, own);
}

static void attended(words *w, rl_attention *a) {
    int64_t nd = a->nd, causal = a->causal;
    integer(w, &a->dtype);
    integer(w, &a->backward);
    number(w, &causal);
    integer(w, &a->mask);
    count(w, &nd, RL_ATTENTION_DIMS);
    a->nd = (int)nd, a->causal = (int)causal;
    if (a->dtype < 0 || a->dtype >= RL_PRODUCT_DTYPES || a->mask < 0 || a->mask >= RL_MASKS || a->backward >> 1) {
        w->bad = 1;
        return;
    }
    numbers(w, nd, a->size);
    int64_t *sizes[] = {&a->m, &a->n, &a->e, &a->v};
    for (int i = 0; i < 4; i++) number(w, sizes[i]);
    const_chars(w, (const char **)&a->scale);
    for (int k = 0; k < (a->backward ? RL_ATTENTION_OPERANDS : RL_LSE + 1); k++) {
        rl_matrices *x = &a->of[k];
        if (k == RL_MASK && !a->mask) continue;
        chars(w, &x->data);
        number(w, &x->row);
        number(w, &x->column);
        numbers(w, nd, x->step);
    }
}

/* numbers: type, descending, rows, n, inner and count; of the least keys 0, 0, outer, n, inner and count. */
typedef struct {
    int64_t numbers[6];
    void *x, *values, *at;
} sorting;

static void sorted(words *w, sorting *s) {
    numbers(w, 6, s->numbers);
    address(w, &s->x);
    address(w, &s->values);
    address(w, &s->at);
}

/* ---- writing records -------------------------------------------------------------------------------------------- */

static words begin_record(int64_t what) {
    words w = {0};
    number(&w, &what);
    return w;
}

static void end_record(void) { rl_tracing->records++; }

int64_t rl_trace_launch(rl_kernel k, int n, void *const *ptrs, const uintptr_t *bases, int n_params,
                        const int64_t *params, int64_t items, double cost) {
    words w = begin_record(LAUNCH);
    int64_t operands = n, told = n_params;
    kernel(&w, &k);
    number(&w, &items);
    real(&w, &cost);
    count(&w, &operands, MOST_POINTERS);
    for (int o = 0; o < operands; o++) {
        void *p = ptrs[o];
        address_from(&w, &p, bases[o]);
    }
    number(&w, &told);
    for (int i = 0; i < n_params; i++) {
        int64_t x = params[i];
        number(&w, &x);
    }
    end_record();
    return 0;
}

void rl_trace_bases(int n, const uintptr_t *bases) {
    memcpy(rl_tracing->bases, bases, (size_t)n * sizeof *bases);
}

int rl_trace_product(const rl_product *given, int ours) {
    rl_epilogue own;
    rl_product p = *given;
    if (!ours && !rl_multiply_takes(given)) return -1;
    words w = begin_record(PRODUCT);
    product(&w, &p, &own);
    end_record();
    return 0;
}

int rl_trace_conv(int mode, int dtype, int nd, int64_t N, int64_t Cin, int64_t Cout, int64_t groups,
                  const int64_t *in_sp, const int64_t *out_sp, const int64_t *k_sp, const int64_t *stride,
                  const int64_t *pad, const int64_t *dil, void *x, void *w, void *y, const rl_epilogue *then) {
    rl_epilogue own;
    convolution c = {mode, dtype, nd, {N, Cin, Cout, groups}, {{0}}, x, w, y, then};
    const int64_t *of[6] = {in_sp, out_sp, k_sp, stride, pad, dil};
    for (int i = 0; i < 6; i++) memcpy(c.of[i], of[i], (size_t)nd * sizeof(int64_t));
    words out = begin_record(CONV);
    convolved(&out, &c, &own);
    end_record();
    return 0;
}

int rl_trace_attention(const rl_attention *p) {
    rl_attention a = *p;
    words w = begin_record(ATTENTION);
    attended(&w, &a);
    end_record();
    return 0;
}

static void trace_sorting(int64_t what, sorting s) {
    words w = begin_record(what);
    sorted(&w, &s);
    end_record();
}

void rl_trace_order(int type, int descending, int64_t rows, int64_t n, int64_t inner, int64_t count, const void *x,
                    const void *values, const int64_t *at) {
    trace_sorting(ORDER, (sorting){{type, descending, rows, n, inner, count},
                                   (void *)(uintptr_t)x, (void *)(uintptr_t)values, (void *)(uintptr_t)at});
}

void rl_trace_least(int64_t outer, int64_t n, int64_t inner, int64_t count, const int64_t *x, const int64_t *least) {
    sorting s = {{0, 0, outer, n, inner, count}, (void *)(uintptr_t)x, (void *)(uintptr_t)least, NULL};
    trace_sorting(LEAST, s);
}

/* ---- running records -------------------------------------------------------------------------------------------- */

static int run_launch(words *w, int64_t err[4]) {
    void *ptrs[MOST_POINTERS + 1];
    rl_kernel k = NULL;
    int64_t items = 0, operands = 0, told = 0;
    double cost = 0;
    kernel(w, &k);
    number(w, &items);
    real(w, &cost);
    count(w, &operands, MOST_POINTERS);
    for (int64_t o = 0; o < operands; o++) address_from(w, &ptrs[o], 0);
    count(w, &told, w->from->n - w->at);
    if (w->bad || told > w->from->n - w->at) return RL_TRACE_BAD;
    const int64_t *params = w->from->words + w->at;
    w->at += told;
    ptrs[operands] = err;
    err[0] = 0;
    return rl_launch(k, ptrs, params, items, cost) != 0 || err[0] != 0 ? RL_TRACE_KERNEL : 0;
}

static int run_product(words *w) {
    rl_epilogue own;
    rl_product p = {0};
    product(w, &p, &own);
    return w->bad ? RL_TRACE_BAD : rl_multiply(&p, 1);
}

static int run_conv(words *w) {
    rl_epilogue own;
    convolution c = {0};
    convolved(w, &c, &own);
    if (w->bad) return RL_TRACE_BAD;
    return rl_conv(c.mode, c.dtype, (int)c.nd, c.sizes[0], c.sizes[1], c.sizes[2], c.sizes[3], c.of[0], c.of[1],
                   c.of[2], c.of[3], c.of[4], c.of[5], c.x, c.w, c.y, c.then);
}

static int run_attention(words *w) {
    rl_attention a = {0};
    attended(w, &a);
    if (w->bad || !rl_product_serves(a.dtype) || !rl_attention_ready(&a)) return RL_TRACE_BAD;
    return rl_attention_run(&a);
}

static int run_sorting(words *w, int64_t what) {
    sorting s = {{0}, NULL, NULL, NULL};
    sorted(w, &s);
    if (w->bad) return RL_TRACE_BAD;
    const int64_t *n = s.numbers;
    if (what == ORDER) return (int)rl_order((int)n[0], (int)n[1], n[2], n[3], n[4], n[5], s.x, s.values, s.at);
    rl_least(n[2], n[3], n[4], n[5], s.x, s.values);
    return 0;
}

int rl_trace_run(const rl_trace_run_args *args, int64_t err[4]) {
    words w = {args, 0, 0};
    int rc = 0;
    while (rc == 0 && w.at < args->n) {
        int64_t what = 0;
        number(&w, &what);
        if (what == LAUNCH)
            rc = run_launch(&w, err);
        else if (what == PRODUCT)
            rc = run_product(&w);
        else if (what == CONV)
            rc = run_conv(&w);
        else if (what == ATTENTION)
            rc = run_attention(&w);
        else if (what == ORDER || what == LEAST)
            rc = run_sorting(&w, what);
        else
            rc = RL_TRACE_BAD;
    }
    return rc;
}
