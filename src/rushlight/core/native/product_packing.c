#include "product_packing.h"

#include <string.h>

#include "clones.h"

enum { LINE = 64 };

/* Pack the contiguous rows of several whole tiles, `bytes` of each tile, term by term, so that a line is read once for
 * all of them. The lines of the next terms are prefetched, since they may be pages apart. */
static inline __attribute__((always_inline)) void pack_terms(const char *from, int64_t along_k, int64_t tiles,
                                                             int64_t bytes, int64_t k, char *to) {
    enum { TERMS = 16 };
    const uintptr_t ahead = TERMS * (uintptr_t)along_k;
    for (int64_t l = 0; l < k; l++, from += along_k, to += bytes)
        for (int64_t t = 0; t < tiles; t++) {
            __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)(t * bytes) + ahead));
            memcpy(to + t * k * bytes, from + t * bytes, (size_t)bytes);
        }
}

CLONES void rl_pack_side_by_side(const char *from, int64_t along_k, int64_t tiles, int64_t bytes, int64_t k, char *to) {
    if (bytes == 56) /* 14 or 6 rows of float32 or float64, known to the compiler */
        pack_terms(from, along_k, tiles, 56, k, to);
    else if (bytes == 112)
        pack_terms(from, along_k, tiles, 112, k, to);
    else if (bytes == 24)
        pack_terms(from, along_k, tiles, 24, k, to);
    else if (bytes == 48)
        pack_terms(from, along_k, tiles, 48, k, to);
    else
        pack_terms(from, along_k, tiles, bytes, k, to);
}

CLONES void rl_pack_far(const char *from, int64_t row, int64_t bytes, int64_t k, char *to, int64_t panel) {
    for (int64_t l = 0; l < k; l++, from += row, to += RL_FAR_PANEL) {
        int64_t i = 0;
        char *at = to;
        for (; i + RL_FAR_PANEL <= bytes; i += RL_FAR_PANEL, at += panel) memcpy(at, from + i, RL_FAR_PANEL);
        if (i < bytes) memcpy(at, from + i, (size_t)(bytes - i));
    }
}

/* Pack a panel of gathered columns in contiguous runs (the positions of a row of an image), a line at a time: the
 * surplus of a run's last line is overwritten by the next run, or the next row. */
static inline __attribute__((always_inline)) void pack_so_many(const char *b, const int64_t *k_at, int64_t k,
                                                               const int64_t *at, const int64_t *start, int64_t lines,
                                                               char *restrict to, int64_t width) {
    for (int64_t l = 0; l < k; l++, to += width) {
        const char *from = b + k_at[l];
        for (int64_t r = 0; r < lines; r++) memcpy(to + start[r], from + at[r], LINE);
    }
}
CLONES static void pack_lines(const char *b, const int64_t *k_at, int64_t k, const int64_t *at, const int64_t *start,
                              int64_t lines, char *to, int64_t width) {
    if (lines == 2) /* the usual numbers are known to the compiler, and their places are in registers */
        pack_so_many(b, k_at, k, at, start, 2, to, width);
    else if (lines == 3)
        pack_so_many(b, k_at, k, at, start, 3, to, width);
    else if (lines == 4)
        pack_so_many(b, k_at, k, at, start, 4, to, width);
    else
        pack_so_many(b, k_at, k, at, start, lines, to, width);
}

/* The addresses at which the runs of columns begin, and their places: contiguous columns are one run. */
static int64_t find_lines(const int64_t *offset, int64_t count, int64_t item, int64_t *at, int64_t *start) {
    int64_t lines = 0, first = 0;
    for (int64_t j = 0; j < count; j++) {
        if (j == 0 || offset[j] != offset[j - 1] + item) first = j;
        if ((j - first) * item % LINE == 0) at[lines] = offset[j], start[lines++] = j * item;
    }
    return lines;
}

void rl_pack_gathered(const rl_gather *g, const char *b, int64_t item, int64_t columns, int64_t k0, int64_t k,
                      int64_t j0, int64_t n, char *to) {
    int64_t at[RL_PRODUCT_K], start[RL_PRODUCT_K];
    int64_t lines = find_lines(g->n_at + j0, n, item, at, start);
    pack_lines(b, g->k_at + k0, k, at, start, lines, to, columns * item);
}
