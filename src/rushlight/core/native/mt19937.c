#include "mt19937.h"

#include <math.h>
#include <string.h>

#include "clones.h"
#include "integers.h"

enum { WORDS = RL_MT_WORDS, SHIFT = 397 };

/* ---- words ------------------------------------------------------------------------------------------------------ */

void rl_mt_seed(rl_mt19937 *g, uint32_t seed) {
    g->state[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) g->state[i] = 1812433253u * (g->state[i - 1] ^ g->state[i - 1] >> 30) + i;
    g->used = WORDS;
    g->fresh = 1;
    g->has_normal = 0;
    g->normal = 0.0;
}

static inline uint32_t next_state(uint32_t here, uint32_t beside, uint32_t ahead) {
    uint32_t y = (here & 0x80000000u) | (beside & 0x7fffffffu);
    return ahead ^ y >> 1 ^ (-(y & 1) & 0x9908b0dfu);
}

CLONES static void twist(uint32_t *s) {
    for (int i = 0; i < WORDS - SHIFT; i++) s[i] = next_state(s[i], s[i + 1], s[i + SHIFT]);
#pragma GCC ivdep /* what is read was written 227 steps before */
    for (int i = WORDS - SHIFT; i < WORDS - 1; i++) s[i] = next_state(s[i], s[i + 1], s[i + SHIFT - WORDS]);
    s[WORDS - 1] = next_state(s[WORDS - 1], s[0], s[SHIFT - 1]);
}

static inline uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

CLONES static void temper(const uint32_t *s, int64_t n, uint32_t *out) {
    for (int64_t i = 0; i < n; i++) out[i] = tempered(s[i]);
}

void rl_mt_words(rl_mt19937 *g, int64_t n, uint32_t *out) {
    while (n > 0) {
        if (g->used == WORDS) twist(g->state), g->used = 0, g->fresh = 0;
        int64_t most = WORDS - g->used, now = n < most ? n : most;
        temper(g->state + g->used, now, out);
        g->used += (int32_t)now;
        out += now;
        n -= now;
    }
}

static uint32_t word(rl_mt19937 *g) {
    if (g->used == WORDS) twist(g->state), g->used = 0, g->fresh = 0;
    return tempered(g->state[g->used++]);
}

static double unit(rl_mt19937 *g) {
    uint64_t high = word(g);
    return (double)((high << 32 | word(g)) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* Copy runs of `bytes`, a constant if this is inlined, alternately from a and b, or to them. */
ALWAYS_INLINE void weave(int64_t runs, size_t bytes, int apart, char *a, char *b, char *woven) {
    for (int64_t i = 0; i < runs; i++, a += bytes, b += bytes, woven += 2 * bytes) {
        if (apart) memcpy(a, woven, bytes), memcpy(b, woven + bytes, bytes);
        else memcpy(woven, a, bytes), memcpy(woven + bytes, b, bytes);
    }
}

void rl_mt_weave(int64_t runs, int64_t bytes, int apart, char *a, char *b, char *woven) {
    if (bytes == 16) weave(runs, 16, apart, a, b, woven);
    else if (bytes == 32) weave(runs, 32, apart, a, b, woven);
    else if (bytes == 64) weave(runs, 64, apart, a, b, woven);
    else weave(runs, (size_t)bytes, apart, a, b, woven);
}

/* ---- one number an element -------------------------------------------------------------------------------------- */

enum { SOME = 2048 }; /* how many words are made at a time */

/* u < p is (high, low) < (p_high, p_low) of the 53 bits, and needs no word of 64. */
CLONES static void below(const uint32_t *w, int64_t n, uint32_t p_high, uint32_t p_low, uint8_t *out) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t high = w[2 * i] & 0x1fffffu, low = w[2 * i + 1];
        out[i] = (uint8_t)((high < p_high) | ((high == p_high) & (low < p_low)));
    }
}

void rl_mt_bernoulli(rl_mt19937 *g, int64_t n, double p, uint8_t *out) {
    uint32_t some[SOME];
    uint64_t bound = (uint64_t)ceil(p * 0x1p53); /* u is a multiple of 2^-53 */
    while (n > 0) {
        int64_t now = n < SOME / 2 ? n : SOME / 2;
        rl_mt_words(g, 2 * now, some);
        below(some, now, (uint32_t)(bound >> 32), (uint32_t)bound, out);
        out += now;
        n -= now;
    }
}

static double normal(rl_mt19937 *g) {
    if (g->has_normal) {
        g->has_normal = 0;
        double kept = g->normal;
        g->normal = 0.0;
        return kept;
    }
    double angle = 6.283185307179586 * unit(g), radius = sqrt(-2.0 * log1p(-unit(g)));
    g->normal = radius * sin(angle);
    g->has_normal = 1;
    return radius * cos(angle);
}

void rl_mt_normal(rl_mt19937 *g, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = normal(g);
}

void rl_mt_permutation(rl_mt19937 *g, int64_t n, int64_t *out) {
    uint32_t some[SOME];
    for (int64_t i = 0; i < n; i++) out[i] = i;
    for (int64_t i = 0; i < n - 1;) {
        int64_t now = n - 1 - i < SOME ? n - 1 - i : SOME;
        rl_mt_words(g, now, some);
        for (int64_t k = 0; k < now; k++, i++) {
            int64_t other = i + some[k] % (n - i), x = out[i];
            out[i] = out[other];
            out[other] = x;
        }
    }
}

/* ---- rejection -------------------------------------------------------------------------------------------------- */

static double poisson(rl_mt19937 *g, double rate) {
    if (!(rate > 0)) return rate == 0 ? 0.0 : NAN;
    if (rate < 10) {
        double least = exp(-rate), product = unit(g), k = 0;
        for (; product > least; k++) product *= unit(g);
        return k;
    }
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4),
           most = 0.9277 - 3.6224 / (b - 2);
    if (!isfinite(b)) return rate;
    for (;;) {
        double u = unit(g) - 0.5, v = unit(g), us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= most) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v) + log(inverse) - log(a / (us * us) + b) <= -rate + k * log(rate) - lgamma(k + 1)) return k;
    }
}

void rl_mt_poisson(rl_mt19937 *g, int64_t n, const double *rate, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = poisson(g, rate[i]);
}

/* log k! less Stirling's approximation (k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2. */
static double stirling_rest(double k) {
    if (k <= 9) return lgamma(k + 1) - ((k + 0.5) * log(k + 1) - (k + 1) + 0.9189385332046727);
    double q = 1 / ((k + 1) * (k + 1));
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * q) * q) / (k + 1);
}

/* At least 10 successes are expected, p <= 1/2. */
static double many_successes(rl_mt19937 *g, double n, double p) {
    double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p,
           centre = n * p + 0.5;
    double most = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation, m = floor((n + 1) * p);
    for (;;) {
        double u = unit(g) - 0.5, v = unit(g), us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + centre);
        if (us >= 0.07 && v <= most) return k;
        if (!(k >= 0 && k <= n)) continue;
        double bound = (m + 0.5) * log((m + 1) / (odds * (n - m + 1))) + (n + 1) * log((n - m + 1) / (n - k + 1)) +
                       (k + 0.5) * log(odds * (n - k + 1) / (k + 1)) + stirling_rest(m) + stirling_rest(n - m) -
                       stirling_rest(k) - stirling_rest(n - k);
        if (log(v * alpha / (a / (us * us) + b)) <= bound) return k;
    }
}

static double few_successes(rl_mt19937 *g, double n, double p) {
    double trials = 0, scale = log1p(-p);
    for (double k = 0;; k++) {
        trials += ceil(log(unit(g)) / scale);
        if (!(trials <= n)) return k;
    }
}

static double binomial(rl_mt19937 *g, double n, double p) {
    if (!(n >= 0 && p >= 0 && p <= 1) || n > 0x1p1000) return NAN;
    if (n == 0 || p == 0) return 0;
    if (p == 1) return n;
    if (p > 0.5) return n - (n * (1 - p) >= 10 ? many_successes(g, n, 1 - p) : few_successes(g, n, 1 - p));
    return n * p >= 10 ? many_successes(g, n, p) : few_successes(g, n, p);
}

void rl_mt_binomial(rl_mt19937 *g, int64_t n, const double *count, const double *p, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = binomial(g, count[i], p[i]);
}

static double gamma_number(rl_mt19937 *g, double shape, int logarithm) {
    if (!(shape > 0)) return shape < 0 || isnan(shape) ? NAN : logarithm ? -INFINITY : 0;
    double raised = logarithm ? 0 : 1;
    /* The third is rounded to float, as in PyTorch, whose numbers these must be: the shape is off by 1e-8. */
    if (shape < 1) {
        double u = unit(g);
        raised = logarithm ? log1p(-u) / shape : pow(1 - u, 1 / shape);
        shape += 1;
    }
    double d = shape - (double)(1.0f / 3.0f), c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y;
        do {
            x = normal(g), y = 1 + c * x;
        } while (!(y > 0));
        double v = y * y * y, u = 1 - unit(g), q = x * x;
        if (u < 1 - 0.0331 * q * q || log(u) < 0.5 * q + d * (1 - v + log(v)) || !isfinite(d))
            return logarithm ? raised + log(d) + log(v) : raised * d * v;
    }
}

void rl_mt_gamma(rl_mt19937 *g, int64_t n, int logarithm, const double *shape, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = gamma_number(g, shape[i], logarithm);
}

/* ---- places by weight ------------------------------------------------------------------------------------------- */

void rl_mt_choose(rl_mt19937 *g, int64_t rows, int64_t k, int64_t count, int single, const double *weights,
                  double *sums, int64_t *out) {
    for (int64_t r = 0; r < rows; r++, weights += k) {
        double sum = 0;
        for (int64_t i = 0; i < k; i++) {
            sum = single ? (float)((float)sum + (float)weights[i]) : sum + weights[i];
            sums[i] = sum;
        }
        for (int64_t i = 0; i < k; i++) sums[i] = single ? (float)((float)sums[i] / (float)sum) : sums[i] / sum;
        for (int64_t c = 0; c < count; c++, out++) {
            double u = unit(g);
            int64_t low = 0, high = k - 1; /* the first sum of at least u; the last place if rounding left none */
            while (low < high) {
                int64_t middle = low + (high - low) / 2;
                if (sums[middle] < u) low = middle + 1;
                else high = middle;
            }
            *out = low;
        }
    }
}
