/* The Mersenne Twister MT19937 (M. Matsumoto & T. Nishimura, ACM Trans. Model. Comput. Simul. 8 (1998) 3), and the
 * numbers that are drawn from it word by word. *
 * u, below, is a number in [0, 1) of 53 bits: two words, the one with the high bits first. */
#ifndef RL_MT19937_H
#define RL_MT19937_H
#include <stdint.h>

#define RL_MT_WORDS 624

typedef struct {
    uint32_t state[RL_MT_WORDS];
    int32_t used;  /* words of the state that have been taken, 0 ... RL_MT_WORDS */
    int32_t fresh; /* nothing has been drawn since the seed */
    int32_t has_normal;
    double normal; /* the second of a pair of normal numbers, if has_normal */
} rl_mt19937;

void rl_mt_seed(rl_mt19937 *g, uint32_t seed);

/* The next n words. */
void rl_mt_words(rl_mt19937 *g, int64_t n, uint32_t *out);

/* `runs` runs of `bytes` of a and as many of b alternately, as `woven`; with `apart` the inverse of that. */
void rl_mt_weave(int64_t runs, int64_t bytes, int apart, char *a, char *b, char *woven);

/* n bytes, each 1 if its own u < p. */
void rl_mt_bernoulli(rl_mt19937 *g, int64_t n, double p, uint8_t *out);

/* n normal numbers by pairs, the second of which is kept for the next call (Box and Muller; the angle is drawn before
 * the radius). */
void rl_mt_normal(rl_mt19937 *g, int64_t n, double *out);

/* A permutation of 0 ... n - 1 (Fisher and Yates), by one word for each element but the last. */
void rl_mt_permutation(rl_mt19937 *g, int64_t n, int64_t *out);

/* Poisson numbers of n rates: products of u below a rate of 10, else transformed rejection (W. Hoermann, Insurance:
 * Math. and Economics 12 (1993) 39). */
void rl_mt_poisson(rl_mt19937 *g, int64_t n, const double *rate, double *out);

/* Numbers of successes of `count` trials of probability p: sums of geometric numbers where fewer than 10 are expected,
 * else transformed rejection (W. Hoermann, J. Stat. Comput. Simul. 46 (1993) 101). */
void rl_mt_binomial(rl_mt19937 *g, int64_t n, const double *count, const double *p, double *out);

/* Gamma numbers of n shapes and rate 1, or their logarithms (G. Marsaglia & W. W. Tsang, ACM Trans. Math. Softw. 26
 * (2000) 363). Negative shapes give NaN. */
void rl_mt_gamma(rl_mt19937 *g, int64_t n, int logarithm, const double *shape, double *out);

/* `count` places in each of `rows` rows of k weights, drawn with replacement; `single`: sums are rounded to float.
 * `sums` has room for k. */
void rl_mt_choose(rl_mt19937 *g, int64_t rows, int64_t k, int64_t count, int single, const double *weights,
                  double *sums, int64_t *out);

#endif
