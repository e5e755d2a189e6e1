/* Guard pages, for tests: with RUSHLIGHT_GUARD=end or =start in the environment when the process starts, each block of
 * the allocator lies between two pages that may not be touched, so that an access out of bounds is a SIGSEGV at once.
 *
 * "end": the byte after the last one asked for is forbidden. The block is then aligned for its elements only (its size
 * being a multiple of theirs), not to 64 bytes. "start": the byte before the first one is forbidden.
 * "heap": each block comes from malloc, with its exact size, for tools that watch malloc: AddressSanitizer, whose build
 * starts in this mode, and valgrind. A freed block stays forbidden for a long while, so a use after free is a SIGSEGV
 * too. New memory is filled with a byte that the test may choose: results computed from uninitialized memory differ
 * from fill to fill. And an allocation can be made to fail. */
#ifndef RL_GUARD_H
#define RL_GUARD_H
#include <stddef.h>
#include <stdint.h>

enum { RL_GUARD_NONE = 0, RL_GUARD_END = 1, RL_GUARD_START = 2, RL_GUARD_HEAP = 3 };

/* Where the forbidden byte lies; fixed when the process starts. */
int rl_guard_mode(void);

/* The byte (0 to 255) that blocks are filled with from now on. */
void rl_guard_set_fill(int byte);

/* The n-th allocation under guard from now on fails, once; n = 0: none. Returns how many of the last count were left:
 * -1 if one has failed. */
int64_t rl_guard_set_failure(int64_t n);

/* As rl_alloc and rl_free, for exactly `bytes`; for alloc.c. */
void *rl_guard_alloc(size_t bytes);
void rl_guard_free(void *p, size_t bytes);

#endif
