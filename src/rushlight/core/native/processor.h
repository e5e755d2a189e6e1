/* The instruction sets of the processor for routines that move and weigh bytes (pictures), and for loops over numbers
 * whose bits are the same on every processor; and how many processors there are. */
#ifndef RL_PROCESSOR_H
#define RL_PROCESSOR_H

/* 2 AVX-512 with byte permutations, 1 AVX2, 0 none of these. */
int rl_byte_level(void);

/* Limit the result of rl_byte_level, for tests; returns its result from now on. */
int rl_limit_byte_level(int limit);

/* The number of processors that this process may use by its affinity mask and cgroup CPU quota, at least 1. */
int rl_cpu_count(void);

#endif
