/* What the processor offers to routines that move and weigh bytes (pictures), and to loops over numbers whose bits are
 * the same on every processor; and how many of them there are. */
#ifndef RL_PROCESSOR_H
#define RL_PROCESSOR_H

/* 2 AVX-512 with byte permutations, 1 AVX2, 0 none of these. */
int rl_byte_level(void);

/* The most that rl_byte_level says from then on, for tests; what it says now. */
int rl_limit_byte_level(int limit);

/* The number of processors that this process may use by its affinity mask and cgroup CPU quota, at least 1. */
int rl_cpu_count(void);

#endif
