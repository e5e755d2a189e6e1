/* What the processor has, asked of itself: never of its name. */

#include "processor.h"

#include "product.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

int rl_processor(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, ROUNDS_BF16 = 1 << 5 };
    int found = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found |= RL_HAS_AVX2;
    if (!found) return 0;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        found |= RL_HAS_AVX512;
    unsigned a, b, c, d;
#ifdef __linux__
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_TILE) && (d & AMX_BF16) && found & RL_HAS_AVX512 &&
        __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & ROUNDS_BF16) &&
        syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0)
        found |= RL_HAS_AMX_BF16;
#endif
    return found;
}
#else
int rl_processor(void) { return 0; }
#endif

static int most = 2;

int rl_byte_level(void) {
    int level = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        level = 2;
    else if (__builtin_cpu_supports("avx2"))
        level = 1;
#endif
    return level < most ? level : most;
}

int rl_limit_byte_level(int limit) {
    most = limit;
    return rl_byte_level();
}
