/* CLONES: loops that are compiled for three instruction sets, of which the loader picks one; FUSED: those that call
 * fma(). Their bits are the same: nothing is contracted (-ffp-contract=off), and sums have a fixed order. */
#ifndef CLONES
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#define FUSED __attribute__((target_clones("default", "fma", "avx512f")))
#else
#define CLONES
#define FUSED
#endif
#endif
