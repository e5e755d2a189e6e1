/* Functions for one instruction set, whose callers ask rl_byte_level() first. WIDE: with vectors of 64 bytes, where gcc
 * would take 32; BYTES: with permutations of the bytes in them. */
#ifndef RL_TARGETS_H
#define RL_TARGETS_H
#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl,prefer-vector-width=512")))
#define BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define AVX2 __attribute__((target("avx2")))
#else
#define WIDE
#define BYTES
#define AVX2
#endif
#endif
