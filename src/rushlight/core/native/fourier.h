/* Fourier transforms: which codelets are run over which lines, and in what order. The codelets are generated code
 * (compiler/emit/codelets.py), the plans are made in Python (compiler/routines/fourier.py). */
#ifndef RL_FOURIER_H
#define RL_FOURIER_H
#include <stdint.h>

enum { RL_FOURIER_PASSES = 24, RL_FOURIER_DIMS = 64 };

/* How a plan transforms lines of n numbers. */
enum {
    RL_PLAN_PASSES = 0, /* passes of small radices */
    RL_PLAN_SQUARE = 1, /* columns of n1, then rows of n2: a and b are their plans, the tables twiddles between */
    RL_PLAN_CHIRP = 2,  /* Bluestein: a is the plan of a longer line, table the chirp, table2 its transform */
    RL_PLAN_POWERS = 3, /* Rader: a is the plan of n - 1, turn powers of a root of n, then the places of the results of
                         * 1, 2, ... in that order, table the kernel's transform */
    RL_PLAN_HALVES = 4, /* real numbers as pairs: a is the plan of n / 2, table the n / 4 + 1 first twiddles */
    RL_PLAN_ODD = 5,    /* an odd count of real numbers: a is the plan of n */
    RL_PLAN_TRIG = 6,   /* cosines or sines: a is the plan of what is transformed instead, table the twiddles */
};

/* Tables hold planes: all real parts, then all imaginary parts. */
typedef struct rl_fourier_plan {
    int64_t n, kind, item;   /* item: 4 or 8, bytes of a real number */
    int64_t passes, before;  /* so many of them are run before the lanes change from along the line to across it */
    int64_t lines;           /* the lines that are done together, if lanes are along the line */
    const struct rl_fourier_plan *a, *b;
    const char *table, *table2;
    const int64_t *turn;     /* the offsets, in bytes, of the rows that become lanes, in the order of the lanes */
    int64_t radix[RL_FOURIER_PASSES];
    const char *w[RL_FOURIER_PASSES]; /* twiddles of each pass: (radix - 1) x m */
} rl_fourier_plan;

/* R2F: real numbers to the whole spectrum; TRIG: cosine and sine transforms, real to real. */
enum { RL_FOURIER_C2C = 0, RL_FOURIER_R2C = 1, RL_FOURIER_C2R = 2, RL_FOURIER_R2F = 3, RL_FOURIER_TRIG = 4 };

/* One call, along n_axes dimensions, the last of which is the real one if there is one. */
typedef struct {
    int64_t nd, size[RL_FOURIER_DIMS]; /* of the result (C2R: of the operand) */
    int64_t in_step[RL_FOURIER_DIMS], out_step[RL_FOURIER_DIMS]; /* bytes */
    const char *in;
    char *out;
    int64_t kind, item, inverse;
    int64_t trig; /* the type, 8 for sines, 16 for an orthogonal transform */
    int64_t n_axes, axis[RL_FOURIER_DIMS];
    int64_t real_size; /* how many real numbers the line of the last axis has, for all kinds but C2C */
    const rl_fourier_plan *plan[RL_FOURIER_DIMS];
    double scale; /* what the result is multiplied by */
} rl_fourier_call;

/* Returns 0, RL_NO_MEMORY, or the number (> 0) of a missing codelet, and then nothing has been written. */
int64_t rl_fourier(const rl_fourier_call *call);

/* Set the codelet of a number; NULL removes it. Numbers: dtype (0 float, 1 double) | kind << 1 (0 pass, 1 turn, 2 post,
 * 3 pre, 4 line, 5 real) | source << 4 (0 p, 1 s, 2 c, 3 r) | target << 6 | twiddles << 8 (0 n, 1 b, 2 v; line: 1 is
 * plain) | radix << 10 (post: 1 is full; line, real: the logarithms of two radices, the second one's << 3) | 1 << 18 if
 * it asks for memory. */
void rl_fourier_codelet(int64_t number, const void *code);

#endif
