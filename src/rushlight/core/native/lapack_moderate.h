/* Included by families once per dtype. */

/* Whether squares of the elements neither overflow nor vanish. */
static inline int NAME(moderate)(int64_t n, const T *a) {
    enum { W = CAT(BESIDE, DTYPE) };
    const R *x = (const R *)a;
    const R low = sizeof(R) == 4 ? (R)1e-16 : (R)1e-140, high = sizeof(R) == 4 ? (R)1e16 : (R)1e140;
    int64_t length = n * (1 + IS_COMPLEX), i = 0;
    R lane[W] = {0}, most = 0;
    for (; i + W <= length; i += W)
        for (int64_t l = 0; l < W; l++) lane[l] = RABS(x[i + l]) > lane[l] ? RABS(x[i + l]) : lane[l];
    for (; i < length; i++) most = RABS(x[i]) > most ? RABS(x[i]) : most;
    for (int64_t l = 0; l < W; l++) most = lane[l] > most ? lane[l] : most;
    return most == 0 || (most > low && most < high);
}
