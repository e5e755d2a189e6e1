#include "alloc.h"
#include "guard.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MIN_SIZE = 64,
    N_CLASSES = 336, /* eight to a power of two, from 64 bytes to 2^48: a block is at most an eighth too large */
};
#define HUGE_PAGE ((size_t)2 << 20) /* from this size on: own mapping, on huge pages where the kernel grants them */
#define MAX_SIZE ((size_t)1 << 47)  /* the address space of a process */

/* A free block holds the link to the next one of its class in its first bytes. */
typedef struct free_block {
    struct free_block *next;
} free_block;

typedef struct {
    free_block *head;
    int64_t count;
    int64_t last_use; /* n_alloc at the last hit or store: the least recently used class is emptied first */
} size_class;

static size_class classes[N_CLASSES];
static rl_alloc_stats stats;
static _Atomic int lock_word;

static void lock(void) {
    for (int tries = 0; atomic_exchange_explicit(&lock_word, 1, memory_order_acquire); tries++) {
        while (atomic_load_explicit(&lock_word, memory_order_relaxed)) {
            if (++tries > 200) sched_yield(); /* the thread that has the lock may not be running */
        }
    }
}

static void unlock(void) { atomic_store_explicit(&lock_word, 0, memory_order_release); }

/* Sizes are multiples of 64 at least, so each of the lowest classes is one multiple. */
static inline int class_of(size_t bytes) {
    size_t last = bytes <= MIN_SIZE ? MIN_SIZE - 1 : ((bytes + 63) & ~(size_t)63) - 1;
    int log2 = 63 - __builtin_clzll(last);
    return (log2 - 5) * 8 + (int)(last >> (log2 - 3) & 7);
}

static inline size_t size_of_class(int c) {
    int log2 = c / 8 + 5;
    return ((size_t)(c % 8) + 9) << (log2 - 3);
}

size_t rl_alloc_class_size(size_t bytes) { return bytes > MAX_SIZE ? 0 : size_of_class(class_of(bytes)); }

/* ---- the system ------------------------------------------------------------------------------------------------- */

static void *system_alloc(size_t size) {
    void *p = NULL;
    if (size < HUGE_PAGE) return posix_memalign(&p, 64, size) == 0 ? p : NULL;
    /* Map one huge page more than needed, then cut both ends, so that the block starts on a huge page. */
    size_t span = size + HUGE_PAGE;
    char *base = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    char *start = (char *)(((uintptr_t)base + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    if (start > base) munmap(base, (size_t)(start - base));
    if (start + size < base + span) munmap(start + size, (size_t)(base + span - (start + size)));
#ifdef MADV_HUGEPAGE
    madvise(start, size, MADV_HUGEPAGE); /* only advice: if it is refused, the block has small pages */
#endif
    return start;
}

static void system_free(void *p, size_t size) {
    if (size < HUGE_PAGE)
        free(p);
    else
        munmap(p, size);
}

/* Give back a list of blocks, each kept with its class in the second word; called without the lock. */
static void release(free_block *list) {
    while (list) {
        free_block *next = list->next;
        system_free(list, size_of_class((int)(intptr_t)((void **)list)[1]));
        list = next;
    }
}

/* Under the lock: unlink blocks, least recently used class first, until `cached` is at most `keep`. */
static free_block *evict(int64_t keep) {
    free_block *list = NULL;
    while (stats.cached > keep) {
        int oldest = -1;
        for (int c = 0; c < N_CLASSES; c++)
            if (classes[c].head && (oldest < 0 || classes[c].last_use < classes[oldest].last_use)) oldest = c;
        size_class *k = &classes[oldest];
        while (k->head && stats.cached > keep) {
            free_block *b = k->head;
            k->head = b->next;
            k->count--;
            stats.cached -= (int64_t)size_of_class(oldest);
            stats.n_system++;
            b->next = list;
            ((void **)b)[1] = (void *)(intptr_t)oldest;
            list = b;
        }
    }
    return list;
}

/* ---- set-up and fork -------------------------------------------------------------------------------------------- */

static void after_fork(void) { unlock(); }

__attribute__((constructor)) static void init(void) {
    int64_t limit = (int64_t)1 << 30;
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && pages * page / 4 < limit) limit = pages * page / 4;
    stats.limit = limit;
    pthread_atfork(lock, after_fork, after_fork); /* in the child the lock is free and the lists are consistent */
}

/* ---- the interface ---------------------------------------------------------------------------------------------- */

void *rl_alloc(size_t bytes) {
    if (__builtin_expect(bytes > MAX_SIZE, 0)) return NULL;
    int c = class_of(bytes);
    int64_t size = (int64_t)size_of_class(c);
    int guarded = rl_guard_mode();
    lock();
    size_class *k = &classes[c];
    free_block *p = k->head; /* under guard nothing is kept, so there is never a free block */
    if (__builtin_expect(p != NULL, 1)) {
        k->head = p->next;
        k->count--;
        stats.cached -= size;
        stats.n_hit++;
    } else {
        unlock();
        p = guarded ? rl_guard_alloc(bytes) : system_alloc((size_t)size);
        if (!p && !guarded) {
            rl_alloc_trim(0);
            p = system_alloc((size_t)size);
        }
        if (!p) return NULL;
        lock();
    }
    k->last_use = ++stats.n_alloc;
    stats.allocated += size;
    if (stats.allocated > stats.peak) stats.peak = stats.allocated;
    unlock();
    return p;
}

void rl_free(void *p, size_t bytes) {
    if (!p) return;
    int c = class_of(bytes);
    int64_t size = (int64_t)size_of_class(c);
    free_block *out = NULL;
    lock();
    stats.allocated -= size;
    stats.n_free++;
    if (__builtin_expect(rl_guard_mode(), 0)) {
        stats.n_system++;
        unlock();
        rl_guard_free(p, bytes);
        return;
    }
    size_class *k = &classes[c];
    /* No class may take more than half of the cache: a loop over ever larger sizes would otherwise push all others out.
       */
    if (__builtin_expect((k->count + 1) * size > stats.limit / 2, 0)) {
        stats.n_system++;
        unlock();
        system_free(p, (size_t)size);
        return;
    }
    k->last_use = stats.n_alloc;
    if (__builtin_expect(stats.cached + size > stats.limit, 0)) out = evict(stats.limit - size);
    ((free_block *)p)->next = k->head;
    k->head = p;
    k->count++;
    stats.cached += size;
    unlock();
    if (out) release(out);
}

void rl_alloc_trim(size_t keep) {
    lock();
    free_block *out = evict(keep > (size_t)INT64_MAX ? INT64_MAX : (int64_t)keep);
    unlock();
    release(out);
}

void rl_alloc_set_limit(size_t bytes) {
    lock();
    stats.limit = bytes > (size_t)INT64_MAX ? INT64_MAX : (int64_t)bytes;
    free_block *out = evict(stats.limit);
    unlock();
    release(out);
}

void rl_alloc_get_stats(rl_alloc_stats *out) {
    lock();
    *out = stats;
    unlock();
}

void rl_alloc_reset_peak(void) {
    lock();
    stats.peak = stats.allocated;
    unlock();
}
