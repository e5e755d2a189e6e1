/* The thread pool: one per process, shared by compiled kernels, BLAS and convolution.
 *
 * Work is cut into chunks that threads claim one at a time. The caller works too, and at the end it waits only for
 * chunks that another thread has begun, never for a thread that has not woken. Idle workers sleep. A forked child
 * starts with no workers and makes its own at its first parallel job. */
#ifndef RL_POOL_H
#define RL_POOL_H
#include <stdint.h>

/* A compiled kernel: does items [begin, end). Returns 0, or an error code. */
typedef int64_t (*rl_kernel)(void **ptrs, const int64_t *params, int64_t begin, int64_t end);

/* A task over items [begin, end) of the caller's context. Returns 0, or an error code. */
typedef int64_t (*rl_range_fn)(void *ctx, int64_t begin, int64_t end);

/* Run fn over [0, n) in chunks of at least `grain` items, on all threads. Returns the first error code seen, or 0.
 * A call from inside a task runs inline. Chunk bounds may depend on the number of threads, so a result that must not
 * depend on it is written by items, never accumulated by chunks. */
int64_t rl_parallel_for(rl_range_fn fn, void *ctx, int64_t n, int64_t grain);

/* Run fn over [0, n), inline when n * cost is too little to share. What fn does for an item must not depend on those
 * before: every other call of a thread begins at the end. Returns the first error code, or 0. */
int64_t rl_work(rl_range_fn fn, void *ctx, int64_t n, double cost_ns_per_item);

/* The same with a kernel. */
int64_t rl_launch(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item);

/* The same where any part of an item can be done again, since the kernel does not read what it writes: a chunk of a
 * worker that another process has pushed off its processor is then taken over (restart.h), and nobody waits for it. */
int64_t rl_launch_again(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item);

/* How many chunks were taken over so. */
int64_t rl_taken_over(void);

/* From how much work on to share it, asked for work of `ns`; no chunk takes less than half of that. Where a worker is
 * awake and waits for work it is 15 us, and so it is in a row of launches that is likely to go on: that wakes one. */
double rl_shared_from_ns(double ns);

/* Say how long it takes on this machine until a worker that sleeps has begun with a job: where all sleep, work is
 * shared from four times that on, within 15 and 200 us, and from 20 us on where nobody has said. */
void rl_set_hand_over(int64_t ns);

/* Measure it, which takes some 5 ms; 0 where there are no workers to be had. */
int64_t rl_measure_hand_over(void);

/* Threads that a job may use, the caller included. */
int rl_num_threads(void);

/* Set that number (at least 1); 0 goes back to the default: affinity, cgroup quota and OMP_NUM_THREADS. */
void rl_set_num_threads(int n);

/* Let the calling thread, and the workers on its jobs, take denormal numbers for zero, or not; whether this processor's
 * rule for it is known. */
int rl_flush_denormal(int on);

/* Whether the calling thread is inside a task of the pool (where a further parallel call runs inline). */
int rl_in_parallel(void);

#endif
