#include "codeload.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t n) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

/* As long as there is room, all code is in one range of addresses, which is reserved without memory: so one comparison
 * tells whether a thread is in a kernel (restart.h). */
#define ARENA ((size_t)64 << 20)

static char *arena; /* NULL: the system has no such range */
static _Atomic size_t taken;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void reserve(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *base = mmap(NULL, ARENA, PROT_NONE, flags, -1, 0);
    if (base != MAP_FAILED) arena = base;
}

int rl_code_arena(void **base, size_t *size) {
    pthread_once(&once, reserve);
    *base = arena, *size = ARENA;
    return arena != NULL;
}

int rl_code_in_arena(const void *p) { return arena && (uintptr_t)p - (uintptr_t)arena < ARENA; }

/* Writable pages, in the arena or, if that is full, elsewhere. NULL: there are none. */
static void *pages(size_t size) {
    void *base;
    size_t room;
    if (rl_code_arena(&base, &room) && size <= room) {
        size_t at = atomic_load(&taken);
        while (at + size <= room && !atomic_compare_exchange_weak(&taken, &at, at + size)) {
        }
        if (at + size <= room) return mprotect(arena + at, size, PROT_READ | PROT_WRITE) == 0 ? arena + at : NULL;
    }
    base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return base == MAP_FAILED ? NULL : base;
}

/* Pages of the arena stay reserved, and are not used again. */
static void give_back(void *base, size_t size) {
    if (rl_code_in_arena(base)) {
        madvise(base, size, MADV_DONTNEED);
        mprotect(base, size, PROT_NONE);
    } else {
        munmap(base, size);
    }
}

void *rl_code_load(const void *blob, size_t n) {
    if (!blob || n == 0 || whole_pages(n) < n) {
        errno = EINVAL;
        return NULL;
    }
    size_t size = whole_pages(n);
    void *base = pages(size);
    if (!base) return NULL;
    memcpy(base, blob, n);
    if (mprotect(base, size, PROT_READ | PROT_EXEC) != 0) {
        int why = errno;
        give_back(base, size);
        errno = why;
        return NULL;
    }
    /* Where instruction and data caches are not coherent (aarch64) the new code must be made visible; no-op on x86. */
    __builtin___clear_cache((char *)base, (char *)base + n);
    return base;
}

void rl_code_unload(void *base, size_t n) {
    if (base) give_back(base, whole_pages(n));
}
