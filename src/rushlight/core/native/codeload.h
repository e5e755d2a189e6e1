/* Machine code from a blob into executable memory; pages are never writable and executable at once. */
#ifndef RL_CODELOAD_H
#define RL_CODELOAD_H
#include <stddef.h>

/* Copy n bytes of position-independent code into fresh pages and make them executable.
 * Returns the page-aligned base, or NULL (n is 0, there is no memory, or the system forbids it; errno says which). */
void *rl_code_load(const void *blob, size_t n);

/* Unmap what rl_code_load(blob, n) returned; NULL is allowed. No thread may be running in it. */
void rl_code_unload(void *base, size_t n);

/* The range of addresses into which code is loaded first; 0 if there is none. */
int rl_code_arena(void **base, size_t *size);

/* Whether an address lies in that range. */
int rl_code_in_arena(const void *p);

#endif
