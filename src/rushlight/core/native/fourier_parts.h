/* The declarations that the parts of Fourier transforms share: lines and planes, the job, and functions that parts call
 * of each other. */
#ifndef RL_FOURIER_PARTS_H
#define RL_FOURIER_PARTS_H
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "clones.h"
#include "fourier.h"
#include "pool.h"

enum { PLANES, SIGNED, PAIRS, REALS };       /* forms of numbers in memory */
enum { APART = 1 };                          /* with a target's form: those of two lines in one vector */
enum { PASS, TURN, POST, PRE, LINE, REAL };  /* kinds of codelets */
enum { NONE, ONE_FOR_ALL, ONE_A_LANE };      /* twiddles */
enum { LANE_BYTES = 64, HALF = 32, SHORT = 128, SHORT_BYTES = 256, LINE_BYTES = 2048, MANY = 8 };
/* The bit in the number of codelets that prefetch; from how many bytes of operands on they are used; how many bytes
 * ahead they prefetch within a block of lines; a block of at most NEAR bytes is prefetched as a whole. */
enum { ASK = 1 << 18, ASK_FROM = 1 << 20, AHEAD = 2048, NEAR = 1 << 16 };

/* The data of a call that all parts share. A dry run calls no codelets: it finds out which are missing. */
typedef struct {
    int dry, ask; /* ask: whether operands are larger than the nearer caches, so that memory is prefetched */
    _Atomic int64_t error;
} job;

static inline void fail(job *j, int64_t error) {
    int64_t none = 0;
    atomic_compare_exchange_strong(&j->error, &none, error);
}

static inline int failed(job *j) { return atomic_load_explicit(&j->error, memory_order_relaxed) != 0; }

static inline int number_of(int64_t item, int kind, int source, int target, int twiddles, int64_t radix) {
    return (item == 8) | kind << 1 | source << 4 | target << 6 | twiddles << 8 | (int)radix << 10;
}

/* Lines: element i of line l is at re + i * step + l * line (bytes), and at im as well where they are planes. Either
 * the elements of a line are contiguous, or (lines side by side) the elements at one index of the lines are. If `ask`
 * is not 0, memory is prefetched so many bytes ahead of reads and writes, and `ask_line` bytes more for each further
 * line. */
typedef struct {
    char *re, *im;
    int64_t step, line;
    int form;
    int64_t ask, ask_line;
} rows;

static inline int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

typedef struct {
    double sign, re, im; /* the factors of imaginary parts before, and of the results' parts after */
} factors;

#define BOTH(item, name, ...) ((item) == 4 ? name##_f(__VA_ARGS__) : name##_d(__VA_ARGS__))
#define T_(p) ((void *)(p))

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* The workspace for the planes of a task, taken from the front. */
typedef struct {
    char *at;
} room;

static inline int64_t plane_bytes(int64_t numbers, int64_t item) {
    int64_t bytes = (numbers * item + 63) / 64 * 64 + 192; /* an odd number of lines: planes of 2^k share no sets */
    return bytes / 64 % 2 ? bytes : bytes + 64;
}

static inline rows planes(room *r, int64_t n, int64_t lanes, int64_t item) {
    int64_t bytes = plane_bytes(n * lanes, item);
    rows x = {r->at, r->at + bytes, lanes * item, item, PLANES, 0, 0};
    r->at += 2 * bytes;
    return x;
}

/* The same for lines one after the other. */
static inline rows planes_in_turn(room *r, int64_t n, int64_t lines, int64_t item) {
    rows x = planes(r, n, lines, item);
    x.step = item, x.line = n * item;
    return x;
}

static inline int64_t unit_of(int form, int64_t item) { return form == PAIRS ? 2 * item : item; }

/* ---- lines (fourier_lines.c) ------------------------------------------------------------------------------------- */

/* Run a codelet; if it is missing, that becomes the job's error. */
void rl_fourier_run(job *j, int number, const int64_t *slots);

/* Rows at the given offsets (bytes) to columns. w: twiddles of columns, times those of rows, or NULL. */
void rl_fourier_turn(job *j, int64_t item, rows x, const int64_t *offsets, int64_t n_rows, int64_t n_columns, rows y,
                     const rows *w);

/* Transform lines side by side, by a plan of passes, in a workspace of side_by_side_bytes. */
void rl_fourier_side_by_side(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lanes, factors f, room r);

/* Transform lines one after the other, by any plan. */
void rl_fourier_any_lines(job *j, const rl_fourier_plan *p, rows x, rows y, int64_t lines, factors f, room r);
int64_t rl_fourier_any_lines_bytes(const rl_fourier_plan *p);

/* Transform lines one after the other, by a plan that fits into registers, to x or (halves: the plan for real numbers,
 * of whose pairs p is the plan) to half the spectrum. */
void rl_fourier_short_lines(job *j, const rl_fourier_plan *p, const rl_fourier_plan *halves, rows x, rows y,
                            int64_t lines, factors f);

static inline int64_t side_by_side_bytes(const rl_fourier_plan *p, int64_t lanes) {
    return 4 * plane_bytes(p->n * lanes, p->item);
}

static inline void parallel(job *j, rl_range_fn fn, void *ctx, int64_t n, double ns_each) {
    if (j->dry)
        fn(ctx, 0, 1);
    else
        rl_work(fn, ctx, n, ns_each);
}

static inline double ns_of(double numbers, int64_t n, int64_t item) {
    double stages = 2;
    for (; n > 8; n /= 8) stages += 1;
    return numbers * stages * (item == 4 ? 0.15 : 0.3);
}

/* ---- lines along an axis (fourier_axis.c, fourier_trig.c) -------------------------------------------------------- */

/* The plan of the complex transform within. */
static inline const rl_fourier_plan *complex_plan(const rl_fourier_plan *p) {
    while (p->kind >= RL_PLAN_HALVES) p = p->a;
    return p;
}

/* The logarithm of a radix that is a power of two; 0 for any other. */
static inline int log_of(int64_t radix) {
    int n = 0;
    while (2 << n <= radix) n++;
    return 1 << n == radix ? n : 0;
}

/* Whether lines are so short that registers hold one: two radices that are powers of two. */
static inline int in_registers(const rl_fourier_plan *p) {
    return p->kind == RL_PLAN_PASSES && p->passes == 2 && p->n * p->item <= LINE_BYTES && log_of(p->radix[0]) &&
           log_of(p->radix[1]);
}

enum { BESIDE, PACKED, LINES }; /* lanes: lines in place; lines, copied together; along a line */

typedef struct {
    job *j;
    const rl_fourier_plan *p;
    int64_t kind, item, trig, n; /* n: numbers of the result's line, of the operand's for C2R */
    int64_t real_n;
    const char *in;
    char *out;
    int64_t in_step, out_step; /* along the axis */
    int64_t nd, size[RL_FOURIER_DIMS], x[RL_FOURIER_DIMS], y[RL_FOURIER_DIMS]; /* the other dims, lanes the last */
    int64_t blocks, lanes;     /* of the last dim */
    int mode;
    double sign, scale;
    int64_t lead; /* lanes of the first block, where that is a smaller one */
    char *wanted; /* memory that is written when this axis is done, `wanted_line` bytes for each line; or NULL */
    int64_t wanted_line;
} axis;

static inline rows planes_of(const axis *a, room *r, int64_t n, int64_t lanes) {
    return a->mode == LINES ? planes_in_turn(r, n, lanes, a->item) : planes(r, n, lanes, a->item);
}

/* Lines side by side, in place. A codelet prefetches a step ahead: a whole block of lanes would not stay in the
 * first-level cache. */
static inline rows beside(const axis *a, const char *p, int64_t step, int form) {
    return (rows){(char *)p, (char *)p, step, unit_of(form, a->item), form, a->j->ask ? step : 0, 0};
}

/* Lines one after the other, in place, followed by those of the next block. */
static inline rows in_a_piece(const axis *a, const char *p, int64_t step, int64_t line, int form, int64_t lanes) {
    return (rows){(char *)p, (char *)p, step, line, form, a->j->ask && lanes * line <= NEAR ? lanes * line : 0, 0};
}

/* The numbers of lines, in place if their elements are contiguous and lanes are along the line, or in planes. */
rows rl_fourier_fetch(const axis *a, int form, const char *in, int64_t step, int64_t line, int64_t n, int64_t lanes,
                      room *r);

/* Copy lines to their places, if they are not there. */
void rl_fourier_deliver(const axis *a, rows x, int form, char *out, int64_t step, int64_t line, int64_t n,
                        int64_t lanes);

/* Transform a block of lines: complex or real numbers to the whole spectrum; real numbers to half of it, or the whole;
 * half a spectrum to real numbers; by cosines and sines. */
typedef void block_fn(const axis *a, const char *in, char *out, int64_t line_in, int64_t line_out, int64_t lanes,
                      room r);
block_fn rl_fourier_block_complex, rl_fourier_block_forward, rl_fourier_block_back, rl_fourier_block_trig;

#endif
