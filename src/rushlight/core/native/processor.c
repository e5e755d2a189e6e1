/* What the processor can do, by its own report, never by its name. */

#include "processor.h"

#include "product.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>

int rl_processor(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18, AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24 };
    enum { AMX_INT8 = 1 << 25, VNNI = 1 << 11, BF16 = 1 << 5 };
    int found = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found |= RL_HAS_AVX2;
    if (!found) return 0;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        found |= RL_HAS_AVX512;
    unsigned a, b, c, d;
    if (!(found & RL_HAS_AVX512) || !__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a & BF16)) return found;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    if (c & VNNI) found |= RL_HAS_AVX512_BF16;
#ifdef __linux__
    if ((d & AMX_TILE) && (d & AMX_BF16) && (d & AMX_INT8) &&
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

/* ---- how many processors ---------------------------------------------------------------------------------------- */

/* The quota in CPUs of one cgroup folder, or 0 if it has none. */
static double quota_in(const char *folder, int version) {
    char name[1200];
    double quota = 0, period = 0;
    if (version == 2) {
        snprintf(name, sizeof name, "%s/cpu.max", folder);
        FILE *f = fopen(name, "re");
        if (!f) return 0;
        if (fscanf(f, "%lf %lf", &quota, &period) != 2) quota = 0; /* "max 100000": there is no bound */
        fclose(f);
    } else {
        static const char *const files[2] = {"cpu.cfs_quota_us", "cpu.cfs_period_us"};
        double *const values[2] = {&quota, &period};
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "%s/%s", folder, files[i]);
            FILE *f = fopen(name, "re");
            if (!f) return 0;
            if (fscanf(f, "%lf", values[i]) != 1) quota = 0;
            fclose(f);
        }
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

/* The tightest quota from the group `path` up to the root of the hierarchy mounted at `mount`; 0 if there is none. A
 * container often sees a path of the host, whose folders do not exist: then only the root counts. */
static double quota_upwards(const char *mount, const char *path, int version) {
    char folder[1100];
    double best = 0;
    snprintf(folder, sizeof folder, "%s%s", mount, path);
    size_t root = strlen(mount);
    for (;;) {
        double q = quota_in(folder, version);
        if (q > 0 && (best == 0 || q < best)) best = q;
        if (strlen(folder) <= root) return best;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < root) return best;
        *slash = 0;
    }
}

static double cgroup_quota(void) {
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f) return 0;
    char line[1024];
    double best = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        controllers++;
        if (strcmp(path, "/") == 0) path = "";
        double q[2] = {0, 0};
        if (*controllers == 0) {
            q[0] = quota_upwards("/sys/fs/cgroup", path, 2);
            q[1] = quota_upwards("/sys/fs/cgroup/unified", path, 2);
        } else {
            char padded[1026];
            snprintf(padded, sizeof padded, ",%s,", controllers);
            if (!strstr(padded, ",cpu,")) continue;
            q[0] = quota_upwards("/sys/fs/cgroup/cpu", path, 1);
            q[1] = quota_upwards("/sys/fs/cgroup/cpu,cpuacct", path, 1);
        }
        for (int i = 0; i < 2; i++)
            if (q[i] > 0 && (best == 0 || q[i] < best)) best = q[i];
    }
    fclose(f);
    return best;
}

int rl_cpu_count(void) {
    int count = 0;
#ifdef __linux__
    for (int cpus = 1024; cpus <= 1 << 20 && count == 0;
         cpus *= 4) { /* the kernel's mask may be wider than cpu_set_t */
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set) break;
        size_t size = CPU_ALLOC_SIZE(cpus);
        int rc = sched_getaffinity(0, size, set);
        if (rc == 0) count = CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (rc != 0 && errno != EINVAL) break;
    }
#endif
    if (count < 1) count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    double quota = cgroup_quota();
    if (quota > 0 && quota < count) count = (int)quota + (quota > (int)quota);
    if (count < 1) count = 1;
    return count;
}
