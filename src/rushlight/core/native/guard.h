/* Guard pages, for tests: with RUSHLIGHT_GUARD=end or =start in the environment when the process starts, each block of
 * the allocator lies between two pages that may not be touched, so that an access out of bounds is a SIGSEGV at once.
 *
 * "end": the byte after the last one asked for is forbidden. The block is then aligned for its elements only (its size
 * being a multiple of theirs), not to 64 bytes. "start": the byte before the first one is forbidden.
 * "heap": each block is one of malloc's, of its size exactly, for tools that watch malloc: AddressSanitizer, whose
 * build begins in this mode, and valgrind. A freed block stays forbidden for a long while, so a use after free is a
 * SIGSEGV too. Fresh memory is filled with a byte that the test may choose: what is computed from memory that nobody
 * wrote differs from fill to fill. And an allocation may be told to fail. */
#ifndef RL_GUARD_H
#define RL_GUARD_H
#include <stddef.h>
#include <stdint.h>

enum { RL_GUARD_NONE = 0, RL_GUARD_END = 1, RL_GUARD_START = 2, RL_GUARD_HEAP = 3 };

/* Where the forbidden byte lies; fixed when the process starts. */
int rl_guard_mode(void);

/* The byte (0 to 255) that blocks are filled with from now on. */
void rl_guard_set_fill(int byte);

/* The n-th allocation under guard from now on fails, once; n = 0: none. What was left of the last count: -1 when it has
 * failed. */
int64_t rl_guard_set_failure(int64_t n);

/* As rl_alloc and rl_free, of `bytes` exactly; for alloc.c. */
void *rl_guard_alloc(size_t bytes);
void rl_guard_free(void *p, size_t bytes);

#endif
