#include "codeload.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t n) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

void *rl_code_load(const void *blob, size_t n) {
    if (!blob || n == 0 || whole_pages(n) < n) {
        errno = EINVAL;
        return NULL;
    }
    size_t size = whole_pages(n);
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    memcpy(base, blob, n);
    if (mprotect(base, size, PROT_READ | PROT_EXEC) != 0) {
        int why = errno;
        munmap(base, size);
        errno = why;
        return NULL;
    }
    /* Where instruction and data caches are not coherent (aarch64) the new code must be made visible; no-op on x86. */
    __builtin___clear_cache((char *)base, (char *)base + n);
    return base;
}

void rl_code_unload(void *base, size_t n) {
    if (base) munmap(base, whole_pages(n));
}
