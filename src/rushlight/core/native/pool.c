#include "pool.h"

#include "integers.h"
#include "processor.h"
#include "restart.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum {
    JOB_SLOTS = 16, /* how many jobs of different user threads run at once; further jobs run inline */
    MAX_THREADS = 1024,
    CHUNKS_A_THREAD = 16, /* the last chunk to end is then about 6 % of a thread's share */
    MAX_SHARES = 64,
    CALM = 2, /* the least `quiet_factor` */
    TRIES = 8, /* how often a worker begins a piece again before it asks its caller to wait */
};
/* Work is shared if it takes four hand-overs or more: then two threads take two thirds of the time of one. For less
 * work, the data that move between the caches of two processors decide. */
#define HAND_OVERS 4
#define LEAST_SHARED_NS 15000
#define USUALLY_SHARED_NS 20000 /* waking a worker takes 2 to 50 us */
#define MOST_SHARED_NS 200000
#define WORKER_SPIN_NS 10000 /* only after work: catches the next of a row of small launches */
#define CALLER_SPIN_NS 20000
#define SPIN_NS 5000 /* how often a worker that spins asks whether it should go on */
#define LONGEST_NAP_NS 1000000000
#define NAP_NS 100000 /* how much earlier than launches are expected it comes back: a timer may be as late */
/* On a calm machine: between the launches of a training step there are about 100 us of Python, a chunk of a product
 * takes as long, and waking up takes 5 to 50 us. */
#define CALM_SPIN_NS 200000
#define STALL_NS 200000 /* if a worker is off its processor for longer, the pool backs off */
#define FORGET_NS 300000000 /* a time slice lost in every such while is 1 % */
#define SLICE_NS 3000000 /* how long a worker whose chunk was taken over is off its processor: a time slice */
#define PIECE_NS 20000 /* bytes of a piece of a kernel, so that two pieces fit into a second-level cache */

/* A job. Slots are static and never freed, so a worker that comes late reads valid memory. Chunks are divided into
 * shares, one for each thread: a thread begins with its own share, from its front (its end, in a job that runs
 * backwards), and then helps others with theirs, from the other side. So the next launch on the same data finds it in
 * the cache of the same processor. A thread claims a chunk by one compare-and-swap on a share's word, which holds the
 * generation (high half), and the chunks that are not yet claimed, from the begin (third quarter) to the end (last
 * quarter). The other fields but `backwards` are read only after a claim, and the launcher does not return before every
 * claimed chunk is done. */
typedef struct {
    _Alignas(64) _Atomic uint64_t word;
} share;

/* Work with independent items, of a function or of a kernel. */
typedef struct {
    rl_range_fn fn; /* NULL: the work is that of the kernel */
    void *ctx;
    rl_kernel kernel;
    void **ptrs;
    const int64_t *params;
    int64_t piece; /* how many items are done at once */
    int backwards;
} work;

typedef struct {
    share shares[MAX_SHARES];
    _Atomic uint32_t n_shares;          /* 0: the slot was never used */
    _Atomic int backwards;
    _Alignas(64) _Atomic uint32_t done; /* chunks finished: the caller's futex */
    _Atomic uint32_t waiting;           /* the caller sleeps on `done` */
    _Atomic int64_t error;
    _Atomic int64_t lost_ns; /* the time that a worker of the last chunks was off its processor */
    _Alignas(64) rl_range_fn fn;
    void *ctx;
    int64_t n, chunk;
    uint32_t n_chunks;
    uint32_t flush; /* the caller's mode for denormal numbers, which all helpers adopt */
    const work *again; /* a kernel whose items can be done again, or NULL */
    _Atomic int busy;
} job_slot;

static job_slot slots[JOB_SLOTS];
static _Atomic uint32_t work_signal; /* bumped for every job: the workers' futex */
static _Atomic uint32_t sleepers;
static _Atomic uint32_t epoch;      /* workers of older epochs leave */
static _Atomic int n_threads;       /* 0: not yet chosen */
static _Atomic int n_started;       /* workers of this epoch */
static _Atomic int64_t quiet_until; /* until then jobs run inline: see `back_off` */
static _Atomic int quiet_factor = CALM;
static _Atomic int64_t awake_until; /* until then launches are likely to follow each other: workers spin for them */
static _Atomic int64_t nap_until;   /* until then no launches come, but soon after: workers sleep, and wake alone */
static _Atomic int64_t calm_from;   /* when the pool forgets the last stall: see `is_calm` */
static pthread_mutex_t config_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int in_task;
static _Thread_local uint32_t own_share; /* a worker's number from 1 on; a caller has 0 */
static _Atomic int64_t shared_from_ns = USUALLY_SHARED_NS;

/* The chunk of each worker that its caller may take over: the number of the slot, from 1 on, and that of the chunk. */
static rl_desk desks[MAX_THREADS];
static _Atomic int desk_of[MAX_THREADS]; /* whether a worker has it */
static _Atomic uint32_t n_desks;         /* how many were ever in use */
static _Thread_local rl_desk *own_desk;
static _Atomic int64_t n_taken_over;

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

#if defined(__linux__) && !defined(RL_NO_FUTEX)
static void wait_while_equal(_Atomic uint32_t *word, uint32_t value, int64_t ns) {
    struct timespec most = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, value, ns ? &most : NULL, NULL, 0);
}
static void wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}
static void reset_waiting(void) {}
#else
/* For systems without futexes: one condition for all words; `wake` takes the mutex so that no wake-up is lost between a
 * waiter's test and its sleep. */
static pthread_mutex_t wait_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_cond = PTHREAD_COND_INITIALIZER;
static void wait_while_equal(_Atomic uint32_t *word, uint32_t value, int64_t ns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec + ns) / 1000000000;
    until.tv_nsec = (until.tv_nsec + ns) % 1000000000;
    pthread_mutex_lock(&wait_mutex);
    if (atomic_load(word) == value) {
        if (ns) pthread_cond_timedwait(&wait_cond, &wait_mutex, &until);
        else pthread_cond_wait(&wait_cond, &wait_mutex);
    }
    pthread_mutex_unlock(&wait_mutex);
}
static void wake(_Atomic uint32_t *word, int count) {
    (void)word, (void)count;
    pthread_mutex_lock(&wait_mutex);
    pthread_cond_broadcast(&wait_cond);
    pthread_mutex_unlock(&wait_mutex);
}
static void reset_waiting(void) {
    pthread_mutex_init(&wait_mutex, NULL);
    pthread_cond_init(&wait_cond, NULL);
}
#endif

static inline void cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t clock_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Spin until *word differs from value, at most ns nanoseconds; returns whether it does. */
static int spin_while_equal(_Atomic uint32_t *word, uint32_t value, int64_t ns) {
    int64_t end = clock_ns(CLOCK_MONOTONIC) + ns;
    do {
        for (int i = 0; i < 16; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != value) return 1;
            cpu_pause();
        }
    } while (clock_ns(CLOCK_MONOTONIC) < end);
    return 0;
}

/* ---- denormal numbers -------------------------------------------------------------------------------------------- */

/* A thread's mode of flushing denormal operands and results to zero: 0, or FLUSH. */
#if defined(__x86_64__)
#define FLUSH 0x8040u /* MXCSR: results to zero (15), operands are zero (6) */
static uint32_t flush_mode(void) { return __builtin_ia32_stmxcsr() & FLUSH; }
static void set_flush_mode(uint32_t mode) { __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~FLUSH) | mode); }
#else
#define FLUSH 0u
static uint32_t flush_mode(void) { return 0; }
static void set_flush_mode(uint32_t mode) { (void)mode; }
#endif

int rl_flush_denormal(int on) {
    set_flush_mode(on ? FLUSH : 0);
    return FLUSH != 0;
}

static int default_threads(void) {
    const char *text = getenv("OMP_NUM_THREADS"); /* the variable that PyTorch and most numeric programs obey */
    if (text) {
        char *end;
        long n = strtol(text, &end, 10);
        if (end != text && n >= 1) return n > MAX_THREADS ? MAX_THREADS : (int)n;
    }
    int n = rl_cpu_count();
    return n > MAX_THREADS ? MAX_THREADS : n;
}

/* ---- running jobs ----------------------------------------------------------------------------------------------- */

static uint32_t begin_of(uint64_t word) { return (uint32_t)word >> 16; }
static uint32_t end_of(uint64_t word) { return (uint32_t)word & 0xffff; }
static int has_chunks(uint64_t word) { return begin_of(word) < end_of(word); }

/* Claim a chunk of a share, the first or the last one. Returns its index, or -1. */
static int64_t claim_of(share *of, int last) {
    uint64_t w = atomic_load_explicit(&of->word, memory_order_acquire);
    while (has_chunks(w)) {
        uint64_t left = last ? w - 1 : w + (1 << 16);
        if (atomic_compare_exchange_weak_explicit(&of->word, &w, left, memory_order_acq_rel, memory_order_acquire))
            return last ? end_of(w) - 1 : begin_of(w);
    }
    return -1;
}

/* Claim a chunk of the thread's own share, else of another's. Returns its index, or -1. */
static int64_t claim(job_slot *s) {
    uint32_t n = atomic_load_explicit(&s->n_shares, memory_order_acquire);
    int backwards = atomic_load_explicit(&s->backwards, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++) {
        int64_t index = claim_of(&s->shares[(own_share + i) % n], (i > 0) != backwards);
        if (index >= 0) return index;
    }
    return -1;
}

/* Whether a job has chunks that no thread has claimed. */
static int unclaimed(job_slot *s) {
    uint32_t n = atomic_load_explicit(&s->n_shares, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++)
        if (has_chunks(atomic_load_explicit(&s->shares[i].word, memory_order_relaxed))) return 1;
    return 0;
}

/* Divide n chunks into shares: from now on they may be claimed. */
static void deal(job_slot *s, uint32_t n, uint32_t n_shares) {
    for (uint32_t i = 0; i < n_shares; i++) {
        uint32_t begin = (uint32_t)((uint64_t)n * i / n_shares), end = (uint32_t)((uint64_t)n * (i + 1) / n_shares);
        uint64_t generation = (atomic_load_explicit(&s->shares[i].word, memory_order_relaxed) >> 32) + 1;
        atomic_store_explicit(&s->shares[i].word, generation << 32 | begin << 16 | end, memory_order_release);
    }
    atomic_store_explicit(&s->n_shares, n_shares, memory_order_release);
}

static void run_chunk(job_slot *s, int64_t index) {
    if (atomic_load_explicit(&s->error, memory_order_relaxed) != 0) return; /* after an error the rest is skipped */
    int64_t begin = index * s->chunk, end = begin + s->chunk;
    if (end > s->n) end = s->n;
    int64_t rc = s->fn(s->ctx, begin, end);
    if (rc != 0) {
        int64_t none = 0;
        atomic_compare_exchange_strong(&s->error, &none, rc);
    }
}

/* Do the items from begin to end, piece by piece; `again`: as those of a chunk that `desk` holds by `word`. Returns the
 * result of the kernel, or NOT_OURS if another thread has taken the chunk over. */
#define NOT_OURS INT64_MIN
static int64_t run_pieces(const work *c, int64_t begin, int64_t end, rl_desk *desk, uint64_t word) {
    int tries = 0;
    while (begin < end) {
        int64_t from = begin, to = end, rc = 0;
        if (c->backwards) {
            from = (end - 1) / c->piece * c->piece;
            if (from < begin) from = begin;
        } else if (word && to - from > c->piece) {
            to = from + c->piece;
        }
        rl_outcome outcome = RL_RAN;
        if (c->fn) {
            rc = c->fn(c->ctx, from, to);
        } else if (!word) {
            rc = c->kernel(c->ptrs, c->params, from, to);
        } else {
            outcome = rl_restart_run(desk, word, c->kernel, c->ptrs, c->params, from, to, &rc);
        }
        if (outcome == RL_TAKEN) return NOT_OURS;
        if (outcome == RL_PUSHED) {
            if (++tries < TRIES) continue;
            if (!atomic_compare_exchange_strong(&desk->held, &word, 0)) return NOT_OURS;
            word = 0; /* from now on the caller waits for this worker */
            continue;
        }
        if (rc != 0) {
            if (word && !atomic_compare_exchange_strong(&desk->held, &word, 0)) return NOT_OURS;
            return rc;
        }
        if (c->backwards) end = from;
        else begin = to;
    }
    if (word && !atomic_compare_exchange_strong(&desk->held, &word, 0)) return NOT_OURS;
    return 0;
}

/* Do a chunk of a kernel that the caller may take over meanwhile; returns whether it is done. */
static int run_held(job_slot *s, int64_t index) {
    work c = *s->again; /* the caller's memory is read before the chunk can be taken over, not after */
    int64_t begin = index * s->chunk, end = begin + s->chunk;
    if (end > s->n) end = s->n;
    uint64_t word = (uint64_t)(s - slots + 1) << 32 | (uint64_t)index;
    atomic_store(&own_desk->held, word);
    int64_t rc = run_pieces(&c, begin, end, own_desk, word);
    if (rc == NOT_OURS) return 0;
    int64_t none = 0;
    if (rc != 0) atomic_compare_exchange_strong(&s->error, &none, rc);
    return 1;
}

/* Take over the chunks of a job that workers hold, and do them; returns how many they were. */
static uint32_t take_over(job_slot *s) {
    uint64_t number = (uint64_t)(s - slots + 1);
    int64_t chunks[MAX_SHARES];
    uint32_t n = 0, last = atomic_load(&n_desks);
    for (uint32_t i = 0; i < last && n < MAX_SHARES; i++) {
        uint64_t word = atomic_load(&desks[i].held);
        if (word >> 32 == number && atomic_compare_exchange_strong(&desks[i].held, &word, 0))
            chunks[n++] = (int64_t)(word & UINT32_MAX);
    }
    if (n == 0) return 0;
    rl_restart_bar();
    in_task = 1;
    for (uint32_t i = 0; i < n; i++) run_chunk(s, chunks[i]);
    in_task = 0;
    atomic_fetch_add(&n_taken_over, n);
    return n;
}

int64_t rl_taken_over(void) { return atomic_load(&n_taken_over); }

static void take_desk(void) {
    for (uint32_t i = 0; i < MAX_THREADS; i++) {
        int no = 0;
        if (!atomic_compare_exchange_strong(&desk_of[i], &no, 1)) continue;
        own_desk = &desks[i];
        uint32_t n = atomic_load(&n_desks);
        while (n < i + 1 && !atomic_compare_exchange_weak(&n_desks, &n, i + 1)) {
        }
        return;
    }
}

static void leave_desk(void) {
    if (own_desk) atomic_store(&desk_of[own_desk - desks], 0);
}

/* Work on all jobs; returns whether there was any. */
static int work_as_helper(void) {
    int worked = 0;
    for (int i = 0; i < JOB_SLOTS; i++) {
        job_slot *s = &slots[i];
        int64_t index = claim(s);
        if (index < 0) continue;
        worked = 1;
        if (flush_mode() != s->flush) set_flush_mode(s->flush);
        int64_t wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        do {
            if (s->again && own_desk) {
                if (!run_held(s, index)) continue; /* the job may have ended: only a claim can tell */
            } else {
                run_chunk(s, index);
            }
            uint32_t last = s->n_chunks;
            if (!unclaimed(s)) {
                /* One of the last chunks: its caller may be waiting, so report how long this worker was off its
                 * processor.
                 */
                int64_t lost = clock_ns(CLOCK_MONOTONIC) - wall - (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
                int64_t seen = atomic_load(&s->lost_ns);
                while (lost > seen && !atomic_compare_exchange_weak(&s->lost_ns, &seen, lost)) {
                }
            }
            if (atomic_fetch_add(&s->done, 1) + 1 == last && atomic_load(&s->waiting)) wake(&s->done, 1);
        } while ((index = claim(s)) >= 0);
    }
    return worked;
}

/* Whether no worker was recently off its processor. Where all launches are small, none is shared that could show that
 * the machine is at rest again: then it counts as calm some time after the last stall. */
static int is_calm(void) {
    if (atomic_load_explicit(&quiet_factor, memory_order_relaxed) == CALM &&
        atomic_load_explicit(&quiet_until, memory_order_relaxed) == 0)
        return 1;
    if (clock_ns(CLOCK_MONOTONIC) < atomic_load_explicit(&calm_from, memory_order_relaxed)) return 0;
    atomic_store_explicit(&quiet_factor, CALM, memory_order_relaxed);
    atomic_store_explicit(&quiet_until, 0, memory_order_relaxed);
    return 1;
}

static void wait_for_work(uint32_t seen, int64_t ns) {
    atomic_fetch_add(&sleepers, 1);
    wait_while_equal(&work_signal, seen, ns);
    atomic_fetch_sub(&sleepers, 1);
}

/* How long a worker may sleep until it should be awake, by itself, for launches that are expected. */
static int64_t left_of_nap(void) {
    int64_t until = atomic_load_explicit(&nap_until, memory_order_relaxed);
    return until ? until - clock_ns(CLOCK_MONOTONIC) : 0;
}

/* Spin until there is work, until `end` or as long as launches are likely to follow; returns how long a nap the worker
 * should take, or 0. */
static int64_t spin_for_work(uint32_t seen, int64_t end) {
    for (;;) {
        if (spin_while_equal(&work_signal, seen, SPIN_NS)) return 0;
        int64_t nap = left_of_nap();
        if (nap > 0) return nap;
        int64_t likely = atomic_load_explicit(&awake_until, memory_order_relaxed);
        if (clock_ns(CLOCK_MONOTONIC) >= larger(end, likely)) return 0;
    }
}

static void *worker_main(void *arg) {
    uint32_t my_epoch = (uint32_t)(uintptr_t)arg;
    int64_t spin = WORKER_SPIN_NS;
    in_task = 1;
    own_share = (uint32_t)((uintptr_t)arg >> 32);
    take_desk();
    for (;;) {
        uint32_t seen = atomic_load(&work_signal);
        if (atomic_load(&epoch) != my_epoch) {
            leave_desk();
            return NULL;
        }
        if (work_as_helper()) continue;
        int64_t start = clock_ns(CLOCK_MONOTONIC), nap;
        while ((nap = spin_for_work(seen, start + spin)) > 0) {
            wait_for_work(seen, nap);
            start = clock_ns(CLOCK_MONOTONIC);
        }
        if (atomic_load(&work_signal) == seen) wait_for_work(seen, 0);
        /* Assume that work comes as often as it did last. */
        int soon = clock_ns(CLOCK_MONOTONIC) - start < CALM_SPIN_NS;
        spin = soon && is_calm() ? CALM_SPIN_NS : WORKER_SPIN_NS;
    }
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static void before_fork(void) { pthread_mutex_lock(&config_mutex); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&config_mutex); }

/* The child has only the forking thread: the workers, and the jobs of other threads, are gone. */
static void after_fork_in_child(void) {
    for (int i = 0; i < JOB_SLOTS; i++) {
        atomic_store(&slots[i].n_shares, 0);
        atomic_store(&slots[i].busy, 0);
    }
    for (uint32_t i = 0; i < atomic_load(&n_desks); i++) {
        atomic_store(&desks[i].held, 0);
        atomic_store(&desk_of[i], 0);
    }
    rl_restart_forked();
    atomic_store(&sleepers, 0);
    atomic_store(&n_started, 0);
    atomic_store(&quiet_until, 0);
    atomic_fetch_add(&epoch, 1);
    reset_waiting();
    pthread_mutex_unlock(&config_mutex);
}

__attribute__((constructor)) static void register_fork_handlers(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- launching -------------------------------------------------------------------------------------------------- */

static void start_workers(int wanted) {
    pthread_mutex_lock(&config_mutex);
    int started = atomic_load(&n_started);
    if (started < wanted) {
        /* Workers block all signals, so that these reach the thread that expects them. */
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        uintptr_t of_epoch = atomic_load(&epoch);
        for (; started < wanted; started++) {
            pthread_t thread;
            void *arg = (void *)(of_epoch | (uintptr_t)(started + 1) << 32);
            if (pthread_create(&thread, &attr, worker_main, arg) != 0) break;
        }
        pthread_attr_destroy(&attr);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        /* They count as started even if the system has refused some: the caller does their share, and to try again at
         * every launch would cost more than it gains. */
        atomic_store(&n_started, wanted);
    }
    pthread_mutex_unlock(&config_mutex);
}

int rl_num_threads(void) {
    int n = atomic_load_explicit(&n_threads, memory_order_relaxed);
    if (n == 0) {
        int none = 0;
        n = default_threads();
        if (!atomic_compare_exchange_strong(&n_threads, &none, n)) n = none;
    }
    return n;
}

void rl_set_num_threads(int n) {
    if (n < 1) n = default_threads();
    if (n > MAX_THREADS) n = MAX_THREADS;
    pthread_mutex_lock(&config_mutex);
    if (n != atomic_load(&n_threads)) {
        int fewer = atomic_load(&n_started) > n - 1;
        atomic_store(&n_threads, n);
        if (fewer) { /* all workers leave, and the next job starts as many as it wants */
            atomic_fetch_add(&epoch, 1);
            atomic_store(&n_started, 0);
            atomic_fetch_add(&work_signal, 1);
            wake(&work_signal, MAX_THREADS);
        }
    }
    pthread_mutex_unlock(&config_mutex);
}

int rl_in_parallel(void) { return in_task; }

/* If another process gets a worker's processor in the middle of a chunk, the caller waits for a time slice, about 3 ms,
 * maybe for 20 us of work. After such a stall jobs run inline for a few times its length; the factor grows while stalls
 * repeat, so that on a loaded machine only the core that is gone is lost. */
static void back_off(int64_t now, int64_t waited, int64_t lost) {
    int64_t stall = waited < lost ? waited : lost;
    int factor = atomic_load(&quiet_factor);
    if (stall > STALL_NS) {
        atomic_store(&quiet_until, now + factor * stall);
        atomic_store(&calm_from, now + larger(factor * stall, FORGET_NS));
        if (factor < 16) atomic_store(&quiet_factor, factor * 2);
    } else if (factor > CALM) {
        atomic_store(&quiet_factor, factor / 2);
    }
}

/* How long this thread's last jobs with chunks that can be taken over took, and for how much of that time the thread
 * had a processor: about the last ten count. If that is little, many threads share the processors: workers run instead
 * of callers. */
static _Thread_local double late_wall, late_cpu;
static int is_crowded(void) { return late_cpu < 0.45 * late_wall; }
static void note_late(int64_t wall, int64_t cpu) {
    late_wall = 0.9 * late_wall + (double)wall;
    late_cpu = 0.9 * late_cpu + (double)cpu;
}

static int64_t run_inline(rl_range_fn fn, void *ctx, int64_t n) { return n > 0 ? fn(ctx, 0, n) : 0; }

/* A job that the caller does alone, although it could be shared: its calls count as inside a task, too. */
static int64_t run_alone(rl_range_fn fn, void *ctx, int64_t n) {
    in_task = 1;
    int64_t error = fn(ctx, 0, n);
    in_task = 0;
    return error;
}

/* The size of a chunk near `chunk` with which the thread with the most work has as little as possible: with two
 * threads, three chunks take as long as four, and 32 items in eleven chunks of three take as long as 36. */
static int64_t even_chunk(int64_t n, int64_t chunk, int64_t threads) {
    int64_t chunks = ceil_div(n, chunk), least = INT64_MAX;
    if (chunks <= threads) return chunk;
    int64_t most = chunks < 2 * threads ? threads : ceil_div(chunks, threads) * threads;
    for (int64_t k = most; k >= threads && least > ceil_div(n, threads); k -= threads) {
        int64_t size = ceil_div(n, k), largest = ceil_div(ceil_div(n, size), threads) * size;
        if (largest < least) least = largest, chunk = size;
    }
    return chunk;
}

/* `again`: the kernel that fn runs, if its items can be done again. */
static int64_t
share_out(rl_range_fn fn, void *ctx, int64_t n, int64_t grain, int backwards, const work *again) {
    int threads = rl_num_threads();
    if (threads == 1 || in_task || n < 2) return run_inline(fn, ctx, n);
    int64_t most = (int64_t)threads * CHUNKS_A_THREAD;
    int64_t chunk = even_chunk(n, larger(ceil_div(n, most), grain), threads);
    if (chunk >= 64) chunk = (chunk + 63) / 64 * 64; /* neighbours then share no cache line */
    if (chunk >= n) return run_inline(fn, ctx, n);
    int64_t quiet = atomic_load_explicit(&quiet_until, memory_order_relaxed);
    if (quiet != 0 && (!again || is_crowded())) {
        if (clock_ns(CLOCK_MONOTONIC) < quiet) return run_alone(fn, ctx, n);
        atomic_store_explicit(&quiet_until, 0, memory_order_relaxed);
    }
    job_slot *s = NULL;
    for (int i = 0; i < JOB_SLOTS && !s; i++) {
        int is_free = 0;
        if (atomic_load_explicit(&slots[i].busy, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&slots[i].busy, &is_free, 1))
            s = &slots[i];
    }
    if (!s) return run_alone(fn, ctx, n);
    if (atomic_load_explicit(&n_started, memory_order_relaxed) < threads - 1) start_workers(threads - 1);

    uint32_t n_chunks = (uint32_t)((n + chunk - 1) / chunk), n_shares = (uint32_t)threads;
    if (n_shares > MAX_SHARES) n_shares = MAX_SHARES;
    s->fn = fn, s->ctx = ctx, s->n = n, s->chunk = chunk, s->n_chunks = n_chunks, s->flush = flush_mode();
    s->again = again;
    atomic_store_explicit(&s->done, 0, memory_order_relaxed);
    atomic_store_explicit(&s->waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&s->error, 0, memory_order_relaxed);
    atomic_store_explicit(&s->lost_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&s->backwards, backwards, memory_order_relaxed);
    deal(s, n_chunks, n_shares);
    atomic_fetch_add(&work_signal, 1);
    if (atomic_load(&sleepers) > 0) wake(&work_signal, n_chunks < (uint32_t)threads ? (int)n_chunks - 1 : threads - 1);

    in_task = 1;
    int64_t index, began = again ? clock_ns(CLOCK_MONOTONIC) : 0, cpu = again ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    uint32_t done = 0, own = 0;
    while ((index = claim(s)) >= 0) {
        run_chunk(s, index);
        own++;
        done = atomic_fetch_add(&s->done, 1) + 1;
    }
    in_task = 0;
    done = atomic_load(&s->done);
    if (done != n_chunks) {
        int64_t start = clock_ns(CLOCK_MONOTONIC), now, patience = is_calm() ? CALM_SPIN_NS : CALLER_SPIN_NS;
        if (again && own) { /* a worker that needs longer for a chunk is probably off its processor */
            patience = (start - began) / own;
            if (patience < CALLER_SPIN_NS) patience = CALLER_SPIN_NS;
        }
        uint32_t over = 0, n;
        do { /* a chunk may end during the spin: then spin for the next one anew */
            if (!spin_while_equal(&s->done, done, patience)) {
                if (again && (n = take_over(s)) > 0) {
                    over += n;
                    atomic_fetch_add(&s->done, n);
                } else {
                    atomic_store(&s->waiting, 1);
                    wait_while_equal(&s->done, done, 0);
                }
            }
            done = atomic_load(&s->done);
        } while (done != n_chunks);
        now = clock_ns(CLOCK_MONOTONIC);
        if (over) back_off(now, SLICE_NS, SLICE_NS);
        else back_off(now, now - start, atomic_load(&s->lost_ns));
    }
    if (again) note_late(clock_ns(CLOCK_MONOTONIC) - began, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    int64_t error = atomic_load(&s->error);
    atomic_store_explicit(&s->busy, 0, memory_order_release);
    return error;
}

int64_t rl_parallel_for(rl_range_fn fn, void *ctx, int64_t n, int64_t grain) {
    return share_out(fn, ctx, n, grain, 0, NULL);
}

/* ---- what a hand-over costs -------------------------------------------------------------------------------------- */

/* A row of launches, each of work that is shared with a worker that is awake but with none that sleeps, and each less
 * than CALM_SPIN_NS after the one before: when this thread's last launch was, how much work its row has had, and how
 * much the previous row had in all. */
static _Thread_local int64_t row_at;
static _Thread_local double row_ns, last_row_ns;

/* Count work in a row; returns whether work of `from` is likely to follow: as much as followed at this point in the
 * previous row, or as came before it in this row. */
static int goes_on(double ns, double from) {
    int64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now - row_at >= CALM_SPIN_NS) last_row_ns = row_ns, row_ns = 0;
    row_at = now;
    double before = row_ns;
    row_ns += ns;
    return before >= from || last_row_ns - row_ns >= from;
}

double rl_shared_from_ns(double ns) {
    double from = (double)atomic_load_explicit(&shared_from_ns, memory_order_relaxed);
    if (ns < LEAST_SHARED_NS || from <= LEAST_SHARED_NS || in_task || !is_calm()) return from;
    int likely = ns < from && goes_on(ns, from);
    if ((int)atomic_load(&sleepers) < atomic_load(&n_started)) return LEAST_SHARED_NS;
    /* A worker is woken for the launches after this one, which may end before the worker comes. */
    if (!likely || rl_num_threads() == 1) return from;
    atomic_store_explicit(&awake_until, row_at + CALM_SPIN_NS, memory_order_relaxed);
    return LEAST_SHARED_NS;
}

/* Waking costs the caller, too; workers that know of it before, while they still wait for launches, wake by themselves.
 * Nothing is done if few launches followed when it was called last. */
void rl_expect_launches(int64_t in_ns) {
    if (in_task || rl_num_threads() == 1 || !is_calm()) return;
    if (in_ns > 0) {
        int64_t now = clock_ns(CLOCK_MONOTONIC), nap = smaller(in_ns, LONGEST_NAP_NS) - NAP_NS;
        if (now - row_at >= CALM_SPIN_NS || nap < NAP_NS) return; /* the workers sleep already, or need not */
        if (row_ns < (double)atomic_load_explicit(&shared_from_ns, memory_order_relaxed)) return;
        atomic_store_explicit(&awake_until, now + nap + NAP_NS + CALM_SPIN_NS, memory_order_relaxed);
        atomic_store_explicit(&nap_until, now + nap, memory_order_relaxed);
        return;
    }
    if (!goes_on(0, (double)atomic_load_explicit(&shared_from_ns, memory_order_relaxed))) return;
    atomic_store_explicit(&awake_until, row_at + CALM_SPIN_NS, memory_order_relaxed);
    if (atomic_load(&sleepers) == 0) return;
    atomic_fetch_add(&work_signal, 1);
    wake(&work_signal, rl_num_threads() - 1);
}

void rl_set_hand_over(int64_t ns) {
    int64_t from = HAND_OVERS * smaller(ns, MOST_SHARED_NS);
    atomic_store(&shared_from_ns, larger(smaller(from, MOST_SHARED_NS), LEAST_SHARED_NS));
}

enum { TRIALS = 16 };
typedef struct {
    _Atomic int64_t began; /* when a worker has begun */
} trial;

/* Two chunks: the caller stays in its own one until a worker has the other. */
static int64_t try_hand_over(void *ctx, int64_t begin, int64_t end) {
    trial *t = ctx;
    (void)begin, (void)end;
    if (own_share > 0) {
        atomic_store(&t->began, clock_ns(CLOCK_MONOTONIC));
        return 0;
    }
    int64_t until = clock_ns(CLOCK_MONOTONIC) + 1000000;
    while (atomic_load(&t->began) == 0 && clock_ns(CLOCK_MONOTONIC) < until) cpu_pause();
    return 0;
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t rl_measure_hand_over(void) {
    if (rl_num_threads() == 1 || in_task) return 0;
    int64_t took[TRIALS];
    int n = 0;
    atomic_store(&quiet_until, 0);
    for (int i = 0; i < TRIALS; i++) {
        struct timespec nap = {0, 20 * WORKER_SPIN_NS}; /* until the workers sleep */
        nanosleep(&nap, NULL);
        trial t = {0};
        int64_t start = clock_ns(CLOCK_MONOTONIC);
        rl_parallel_for(try_hand_over, &t, 2, 1);
        int64_t began = atomic_load(&t.began);
        if (began) took[n++] = began - start;
    }
    if (n < TRIALS / 2) return 0; /* no worker comes: there are none, or other processes have the processors */
    qsort(took, (size_t)n, sizeof *took, ascending);
    return took[n / 8]; /* the smallest is that of the machine at rest, if others use it, too */
}

/* ---- work of independent items ----------------------------------------------------------------------------------- */

/* Every second work of a thread that takes more than a piece runs backwards, piece by piece: it first reads what the
 * work before has read and written last, while that is in the cache. In the same direction, work on more data than fits
 * into the cache would find nothing there: what it needs next was always dropped last. */
static _Thread_local int runs_backwards;

static int64_t run_work(void *ctx, int64_t begin, int64_t end) { return run_pieces(ctx, begin, end, NULL, 0); }

static int64_t share_work(work *w, int64_t n, double cost_ns_per_item, int again) {
    double cost = (double)n * cost_ns_per_item;
    w->backwards = !in_task && cost > PIECE_NS && (runs_backwards ^= 1);
    w->piece = cost > PIECE_NS && cost_ns_per_item < PIECE_NS ? (int64_t)(PIECE_NS / cost_ns_per_item) : 1;
    double from = rl_shared_from_ns(cost);
    if (in_task || cost < from) return run_inline(run_work, w, n);
    double grain = from / 2 / cost_ns_per_item;
    again = again && cost >= MOST_SHARED_NS && rl_restart_ready();
    return share_out(run_work, w, n, grain < 1 ? 1 : (int64_t)grain, w->backwards, again ? w : NULL);
}

int64_t rl_work(rl_range_fn fn, void *ctx, int64_t n, double cost_ns_per_item) {
    work w = {.fn = fn, .ctx = ctx};
    return share_work(&w, n, cost_ns_per_item, 0);
}

int64_t rl_launch(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item) {
    work w = {.kernel = k, .ptrs = ptrs, .params = params};
    return share_work(&w, items, cost_ns_per_item, 0);
}

int64_t rl_launch_again(rl_kernel k, void **ptrs, const int64_t *params, int64_t items, double cost_ns_per_item) {
    work w = {.kernel = k, .ptrs = ptrs, .params = params};
    return share_work(&w, items, cost_ns_per_item, 1);
}
