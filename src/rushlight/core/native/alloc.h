/* The caching allocator: freed blocks are kept by size class and handed out again, within a bound. Thread-safe. */
#ifndef RL_ALLOC_H
#define RL_ALLOC_H
#include <stddef.h>
#include <stdint.h>

typedef struct rl_alloc_stats {
    int64_t allocated; /* bytes handed out and not yet freed, rounded to size classes */
    int64_t peak;      /* highest `allocated` since the start or the last reset */
    int64_t cached;    /* bytes kept for reuse */
    int64_t limit;     /* bound on `cached` */
    int64_t n_alloc;   /* successful calls of rl_alloc */
    int64_t n_hit;     /* of those, served from the cache */
    int64_t n_free;    /* calls of rl_free with a pointer */
    int64_t n_system;  /* blocks returned to the system */
} rl_alloc_stats;

/* The result of a native function that found no memory for its workspace. */
enum { RL_NO_MEMORY = -4 };

/* At least `bytes` of uninitialised memory, 64-byte aligned; a request for 0 bytes gets a pointer, too. NULL if there
 * is no memory even after the cache was emptied, or if the size is absurd. */
void *rl_alloc(size_t bytes);

/* Give back what rl_alloc(bytes) returned; `bytes` must be the size asked for. NULL is allowed. */
void rl_free(void *p, size_t bytes);

/* Return cached blocks to the system until at most `keep` bytes stay cached. */
void rl_alloc_trim(size_t keep);

/* Bound the cache, and trim it at once if it holds more. */
void rl_alloc_set_limit(size_t bytes);

void rl_alloc_get_stats(rl_alloc_stats *out);
void rl_alloc_reset_peak(void);

/* The bytes that a request of this size takes up, which are those of its size class. */
size_t rl_alloc_class_size(size_t bytes);

#endif
