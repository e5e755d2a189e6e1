#include "guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Freed blocks that stay mapped and inaccessible. Neighbouring ones are one mapping for the kernel, which allows
 * 65,530. */
enum { QUARANTINE = 8192, LIVING = 16384 };

typedef struct {
    void *base;
    size_t span;
} mapping;

static int mode;
static _Atomic int fill = 0xA5;
static size_t page = 4096;
static _Atomic int64_t until_failure; /* 0: none fails */
static mapping freed[QUARANTINE];
static _Atomic long living;
static size_t n_freed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork(void) { pthread_mutex_unlock(&mutex); }

__attribute__((constructor)) static void init(void) {
    const char *wanted = getenv("RUSHLIGHT_GUARD");
#ifdef __SANITIZE_ADDRESS__
    mode = RL_GUARD_HEAP;
#endif
    if (!wanted) return;
    if (strcmp(wanted, "end") == 0) mode = RL_GUARD_END;
    if (strcmp(wanted, "start") == 0) mode = RL_GUARD_START;
    if (strcmp(wanted, "heap") == 0) mode = RL_GUARD_HEAP;
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (mode) pthread_atfork(before_fork, after_fork, after_fork);
}

int rl_guard_mode(void) { return mode; }

void rl_guard_set_fill(int byte) { atomic_store(&fill, byte & 0xFF); }

int64_t rl_guard_set_failure(int64_t n) { return atomic_exchange(&until_failure, n); }

/* Whether this allocation is the one that should fail in a test. */
static int fails(void) {
    int64_t left = atomic_load(&until_failure);
    while (left > 0 && !atomic_compare_exchange_weak(&until_failure, &left, left == 1 ? -1 : left - 1)) {
    }
    return left == 1;
}

/* The bytes of whole pages that hold a block. */
static size_t room_of(size_t bytes) { return (bytes + page - 1) / page * page; }

/* Only a part of large blocks is filled: the fuzz makes no large ones, and a test of 2^40 bytes must not touch them. */
static void *filled(void *block, size_t bytes) {
    memset(block, atomic_load(&fill), bytes < ((size_t)1 << 26) ? bytes : (size_t)1 << 26);
    return block;
}

/* With more than LIVING blocks at a time the kernel's mappings would run out: further blocks come from malloc, at other
 * addresses than guarded ones. */
static int guarded(const void *p, size_t bytes) {
    return ((uintptr_t)p + (mode == RL_GUARD_START ? 0 : bytes)) % page == 0;
}

static void *alloc_plain(size_t bytes) {
    if (bytes > SIZE_MAX - 256) return NULL;
    char *raw = malloc(bytes + 256);
    if (!raw) return NULL;
    char *block = (char *)(((uintptr_t)raw + 127) & ~(uintptr_t)63);
    if (guarded(block, bytes)) block += 64;
    memcpy(block - sizeof raw, &raw, sizeof raw);
    return filled(block, bytes);
}

static void free_plain(void *p) {
    void *raw;
    memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
    free(raw);
}

void *rl_guard_alloc(size_t bytes) {
    if (fails()) return NULL;
    if (mode == RL_GUARD_HEAP) {
        void *p = NULL;
        return posix_memalign(&p, 64, bytes ? bytes : 1) == 0 ? filled(p, bytes) : NULL;
    }
    if (atomic_load(&living) >= LIVING) return alloc_plain(bytes);
    size_t room = room_of(bytes), span = room + 2 * page;
    char *base = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NULL;
    if (room && mprotect(base + page, room, PROT_READ | PROT_WRITE) != 0) {
        munmap(base, span);
        return NULL;
    }
    atomic_fetch_add(&living, 1);
    return filled(mode == RL_GUARD_START ? base + page : base + page + room - bytes, bytes);
}

void rl_guard_free(void *p, size_t bytes) {
    if (mode == RL_GUARD_HEAP) {
        free(p);
        return;
    }
    if (!guarded(p, bytes)) {
        free_plain(p);
        return;
    }
    atomic_fetch_sub(&living, 1);
    size_t room = room_of(bytes);
    char *base = mode == RL_GUARD_START ? (char *)p - page : (char *)p - (room - bytes) - page;
    mapping now = {base, room + 2 * page}, old = {NULL, 0};
    if (room) {
        madvise(base + page, room, MADV_DONTNEED);
        mprotect(base + page, room, PROT_NONE);
    }
    pthread_mutex_lock(&mutex);
    mapping *slot = &freed[n_freed++ % QUARANTINE];
    old = *slot;
    *slot = now;
    pthread_mutex_unlock(&mutex);
    if (old.base) munmap(old.base, old.span);
}
