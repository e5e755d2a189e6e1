/* Kernels that can be taken over from a thread that the system has preempted.
 *
 * A thread that is preempted in the middle of a kernel may not run for milliseconds. A thread that waits for it would
 * rather do its items again, but the first thread would go on to read and write memory that may be freed by then.
 * Linux's restartable sequences rule that out (rseq(2), and the membarrier(2) that ends those of other threads): a
 * thread that is preempted between two addresses does not continue there, but at an address that it has registered. The
 * two addresses are those of the arena of kernels (codeload.h), so a preempted kernel never continues, and may begin
 * again only after a check. */
#ifndef RL_RESTART_H
#define RL_RESTART_H
#include "pool.h"

#include <stdatomic.h>
#include <stdint.h>

/* The items of a thread: a word that identifies them, or 0. A thread that sets it to 0 has taken them, and may do them
 * once `rl_restart_bar` has returned. */
typedef struct {
    _Alignas(64) _Atomic uint64_t held;
} rl_desk;

typedef enum {
    RL_RAN,    /* the kernel has ended, and `code` is its result */
    RL_PUSHED, /* the thread was preempted, or cannot run a sequence: it is unknown what was done */
    RL_TAKEN,  /* the word has changed: the memory of the items must not be accessed any more */
} rl_outcome;

/* Whether this system supports it, and the process is registered for it. The first call finds out. */
int rl_restart_ready(void);

/* Run a kernel as long as the desk's word is `word`. It must be possible to do the kernel again after any part of it:
 * it must not read what it writes. */
rl_outcome rl_restart_run(
    rl_desk *desk, uint64_t word, rl_kernel kernel, void **ptrs, const int64_t *params, int64_t begin, int64_t end,
    int64_t *code);

/* When this returns, no thread is in a kernel that was taken from it before. */
void rl_restart_bar(void);

/* For a forked child, which must register anew. */
void rl_restart_forked(void);

#endif
