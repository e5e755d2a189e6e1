/* Conversions of numbers of 16 bits from wider ones, and back. */
#ifndef RL_HALF_H
#define RL_HALF_H
#include <stdint.h>
#include <string.h>

static float rl_half_to_float(uint16_t h) {
    uint32_t s = (uint32_t)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 1023, u;
    if (e == 31) u = s | 0x7f800000u | (m << 13);
    else if (e) u = s | ((e + 112) << 23) | (m << 13);
    else { float f = (float)m * 5.9604644775390625e-8f; memcpy(&u, &f, 4); u |= s; }
    float f; memcpy(&f, &u, 4); return f;
}
static uint16_t rl_double_to_half(double d) {
    /* one rounding, to nearest even */
    uint64_t u; memcpy(&u, &d, 8);
    uint16_t s = (uint16_t)((u >> 48) & 0x8000);
    uint64_t a = u & 0x7fffffffffffffffull;
    if (a > 0x7ff0000000000000ull) return s | 0x7e00;
    double x; memcpy(&x, &a, 8);
    if (x >= 65520.0) return s | 0x7c00;
    if (x < 6.103515625e-05) { double q = x * 16777216.0; double r = __builtin_nearbyint(q); return s | (uint16_t)r; }
    int64_t e = (int64_t)(a >> 52) - 1023; uint64_t m = a & 0xfffffffffffffull;
    uint64_t h = ((uint64_t)(e + 15) << 10) | (m >> 42), rest = m & ((1ull << 42) - 1), half = 1ull << 41;
    if (rest > half || (rest == half && (h & 1))) h++;
    return s | (uint16_t)h;
}
static uint16_t rl_double_to_bf16(double d) {
    float f = (float)d; uint32_t u; 
    /* double -> float rounds once; detect the halfway cases that a second rounding would get wrong */
    memcpy(&u, &f, 4);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40);
    if ((u & 0xffffu) == 0x8000u && (double)f != d && (u & 0x7fffffffu) < 0x7f800000u) {
        int up = __builtin_fabs(d) > __builtin_fabs((double)f);
        return (uint16_t)((u >> 16) + (up ? 1 : 0));
    }
    u += 0x7fffu + ((u >> 16) & 1); return (uint16_t)(u >> 16);
}
#endif
