/* The thread pool: one per process, shared by compiled kernels, BLAS and convolution.
 *
 * Work is cut into chunks that threads claim one at a time. The caller works, too, and at the end it waits only for
 * chunks that another thread has begun, never for a thread that has not woken up. Idle workers sleep. A forked child
 * starts with no workers and makes its own at its first parallel job. */
#ifndef RL_POOL_H
#define RL_POOL_H
#include <stdint.h>

/* A compiled kernel: does items [begin, end). Returns 0, or an error code. */
typedef int64_t (*rl_kernel)(void **ptrs, const int64_t *params, int64_t begin, int64_t end);

/* A task over items [begin, end) of the caller's context. Returns 0, or an error code. */
typedef int64_t (*rl_range_fn)(void *ctx, int64_t begin, int64_t end);

/* Run fn over [0, n) in chunks of at least `grain` items, on all threads. Returns the first error code seen, or 0.
 * A call from inside a task runs inline. The bounds of chunks may depend on the number of threads, so results that must
 * not depend on it are written for each item, never accumulated in chunks. */
int64_t rl_parallel_for(rl_range_fn fn, void *ctx, int64_t n, int64_t grain);

/* Run fn over [0, n), inline if n * cost is too little to share. The work for an item must not depend on items before
 * it: every second call of a thread begins at the end. Returns the first error code, or 0. */
int64_t rl_work(rl_range_fn fn, void *ctx, int64_t n, double cost_ns_per_item);

/* The same with a kernel. */
int64_t rl_launch(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item);

/* The same for a kernel of which any part of an item can be done again, because it does not read what it writes: if
 * another process gets a worker's processor, its chunk is taken over (restart.h), and no thread waits for it. */
int64_t rl_launch_again(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item);

/* How many chunks were taken over. */
int64_t rl_taken_over(void);

/* The least work that is shared, asked for work of `ns`; no chunk takes less than half of that. It is 15 us if a worker
 * is awake and waits for work, and also in a row of launches that is likely to continue, which wakes one. */
double rl_shared_from_ns(double ns);

/* Launches come in so many nanoseconds, or now: workers sleep until shortly before, or are woken. */
void rl_expect_launches(int64_t in_ns);
/* Set how long it takes on this machine until a sleeping worker has begun with a job: if all workers sleep, work of
 * four times that or more is shared, within 15 and 200 us; by default, work of 20 us or more. */
void rl_set_hand_over(int64_t ns);
/* Measure it, which takes about 5 ms; 0 if there are no workers. */
int64_t rl_measure_hand_over(void);

/* Threads that a job may use, the caller included. */
int rl_num_threads(void);

/* Set that number (at least 1); 0 goes back to the default: affinity, cgroup quota and OMP_NUM_THREADS. */
void rl_set_num_threads(int n);

/* Let the calling thread, and the workers in its jobs, treat denormal numbers as zero, or not; returns whether that is
 * known for this processor. */
int rl_flush_denormal(int on);

/* Whether the calling thread is inside a task of the pool (where a further parallel call runs inline). */
int rl_in_parallel(void);

#endif
