/* Kernels that can be taken from a thread which the system has put aside.
 *
 * A thread that another process pushes off its processor in the middle of a kernel may be away for milliseconds. Whoever
 * waits for it would rather do its items again, but the thread would go on reading and writing memory that may be freed
 * by then. Linux's restartable sequences rule that out (rseq(2), and the membarrier(2) that ends those of other
 * threads): a thread that is put aside between two addresses does not go on there, but at a place that it has named
 * before. The two addresses are those of the arena of kernels (codeload.h), so a kernel that was put aside is never gone
 * on with, and whether it may begin again is asked first. */
#ifndef RL_RESTART_H
#define RL_RESTART_H
#include "pool.h"

#include <stdatomic.h>
#include <stdint.h>

/* What a thread holds: a word that says which items, or 0. Who sets it to 0 has taken them, and may do them once
 * `rl_restart_bar` has returned. */
typedef struct {
    _Alignas(64) _Atomic uint64_t held;
} rl_desk;

typedef enum {
    RL_RAN,    /* to its end: `code` is what the kernel returned */
    RL_PUSHED, /* the thread was put aside, or the kernel cannot be put aside: nothing is known of what was done */
    RL_TAKEN,  /* the word is another: nothing of the items' memory may be touched any more */
} rl_outcome;

/* Whether this system can do it, and the process is registered for it. The first call asks the system. */
int rl_restart_ready(void);

/* Run a kernel as long as the desk's word is `word`. The kernel must be one that can be done again after any part of
 * it: what it writes it does not read. */
rl_outcome rl_restart_run(
    rl_desk *desk, uint64_t word, rl_kernel kernel, void **ptrs, const int64_t *params, int64_t begin, int64_t end,
    int64_t *code);

/* From here on no thread is in a kernel that was taken from it before. */
void rl_restart_bar(void);

/* For a child that was forked: it registers anew. */
void rl_restart_forked(void);

#endif
