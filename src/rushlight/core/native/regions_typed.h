/* The part of regions.c for one type, T; NAME(x) is the name of a function for it, INDEX an integer of its size.
 * Included by regions.c. */

typedef struct {
    int64_t bins, room;
    int64_t *begin; /* bins + 1 indices of entries */
    int64_t *index;
    T *weight;
    int64_t low, high; /* the indices are in [low, high) */
    double samples;    /* along a bin */
} NAME(axis);

static void NAME(put)(NAME(axis) * a, int64_t from, int64_t *n, int64_t index, T weight) {
    /* Samples are in order, so that entries that they share are among the last. */
    for (int64_t e = *n - 1; e >= from && e >= *n - 4; e--)
        if (a->index[e] == index) {
            a->weight[e] += weight;
            return;
        }
    a->index[*n] = index;
    a->weight[*n] = weight;
    if (index < a->low) a->low = index;
    if (index >= a->high) a->high = index + 1;
    ++*n;
}

static int NAME(room)(NAME(axis) * a, int64_t entries) {
    if (entries <= a->room) return 0;
    rl_free(a->index, (size_t)a->room * 8);
    rl_free(a->weight, (size_t)a->room * sizeof(T));
    a->index = rl_alloc((size_t)entries * 8);
    a->weight = rl_alloc((size_t)entries * sizeof(T));
    a->room = entries;
    return a->index && a->weight ? 0 : RL_NO_MEMORY;
}

/* The weights of the elements of one side, of n, in each bin of a region [start, end]. */
static int NAME(sample)(NAME(axis) * a, int mode, int64_t sampling, int64_t n, T start, T end) {
    a->low = n, a->high = 0;
    if (mode != RL_REGION_ALIGN) start -= (T)0.5, end -= (T)0.5;
    T size = end - start;
    if (mode == RL_REGION_ALIGN && size < 1) size = 1;
    T bin = size / (T)a->bins;
    double samples = sampling > 0 ? (double)sampling : ceil((double)(size / (T)a->bins));
    a->samples = samples;
    int exists = n > 0 && samples > 0 && isfinite((double)start) && isfinite((double)bin);
    double most = 2 * samples < (double)n ? 2 * samples : (double)n;
    if (NAME(room)(a, exists ? a->bins * (int64_t)most + 2 : 2)) return RL_NO_MEMORY;
    int64_t e = 0;
    for (int64_t b = 0; b < a->bins; b++) {
        int64_t from = a->begin[b] = e;
        if (!exists) continue;
        T base = start + (T)b * bin;
        double step = (double)bin / samples, first = 0, last = samples - 1;
        if (step != 0) { /* those that may be in [-1, n] */
            double p = (-1 - (double)base) / step, q = ((double)n - (double)base) / step;
            double slack = 2 + 4 * EPSILON * fabs((double)base / step); /* their positions are rounded to T */
            double l = floor(p < q ? p : q) - slack, h = ceil(p < q ? q : p) + slack;
            if (l > first) first = l;
            if (h < last) last = h;
            /* One sample per pixel, in a region so large that positions cannot be distinguished: it has no samples. */
            if (sampling <= 0 && (last - first > 4 * (double)n + 1e6 || last >= 0x1p53)) continue;
        }
        for (double i = first; i <= last; i++) {
            T y = base + ((T)i + (T)0.5) * bin / (T)samples;
            if (!(y >= -1 && y <= (T)n)) continue;
            if (y <= 0) y = 0;
            int64_t low = (int64_t)y;
            if (low >= n - 1) {
                NAME(put)(a, from, &e, n - 1, 1);
                continue;
            }
            T rest = y - (T)low;
            NAME(put)(a, from, &e, low, 1 - rest);
            NAME(put)(a, from, &e, low + 1, rest);
        }
    }
    a->begin[a->bins] = e;
    return 0;
}

/* The bins of whole elements of a region: [begin, stop) of each, at most `most`. `more`: is added to the difference of
 * the ends. */
static void NAME(whole)(int64_t bins, T start, T end, int more, int64_t most, int64_t *begin, int64_t *stop) {
    double s = round((double)start), t = round((double)end);
    double size = t - s + more;
    if (!(size >= 1)) size = 1;
    T bin = (T)size / (T)bins;
    for (int64_t b = 0; b < bins; b++) {
        double from = floor((double)((T)b * bin)) + s, to = ceil((double)((T)(b + 1) * bin)) + s;
        begin[b] = from > 0 ? from < (double)most ? (int64_t)from : most : 0;
        stop[b] = to > 0 ? to < (double)most ? (int64_t)to : most : 0;
    }
}

/* The same for whole elements, along a side of n. */
static int NAME(pixels)(NAME(axis) * a, int64_t n, T start, T end) {
    a->samples = 1;
    int64_t *ends = rl_alloc((size_t)a->bins * 16);
    if (!ends) return RL_NO_MEMORY;
    NAME(whole)(a->bins, start, end, 0, n - 1, ends, ends + a->bins);
    int64_t e = 0;
    for (int64_t b = 0; b < a->bins; b++) e += ends[a->bins + b] > ends[b] ? ends[a->bins + b] - ends[b] : 0;
    int rc = NAME(room)(a, e + 1);
    e = 0;
    for (int64_t b = 0; b < a->bins && !rc; b++) {
        a->begin[b] = e;
        for (int64_t i = ends[b]; i < ends[a->bins + b]; i++, e++) a->index[e] = i, a->weight[e] = 1;
    }
    a->begin[a->bins] = e;
    rl_free(ends, (size_t)a->bins * 16);
    return rc;
}

typedef struct {
    NAME(axis) y, x;
    int64_t region;  /* the row that these are from; -1: none so far */
    int64_t *column; /* for each entry of x its index in `line` */
    T *line;
    int64_t room, width;
    int dense; /* line holds all columns in [x.low, x.high), not only those of the entries */
    T count;   /* the divisors of the sums */
} NAME(tables);

static int NAME(open)(NAME(tables) * t, const rl_regions *r) {
    memset(t, 0, sizeof *t);
    t->region = -1, t->y.bins = r->rows, t->x.bins = r->columns;
    t->y.begin = rl_alloc((size_t)(r->rows + 1) * 8);
    t->x.begin = rl_alloc((size_t)(r->columns + 1) * 8);
    return t->y.begin && t->x.begin ? 0 : RL_NO_MEMORY;
}

static void NAME(close)(NAME(tables) * t, const rl_regions *r) {
    NAME(axis) *both[2] = {&t->y, &t->x};
    for (int i = 0; i < 2; i++) {
        rl_free(both[i]->index, (size_t)both[i]->room * 8);
        rl_free(both[i]->weight, (size_t)both[i]->room * sizeof(T));
    }
    rl_free(t->y.begin, (size_t)(r->rows + 1) * 8);
    rl_free(t->x.begin, (size_t)(r->columns + 1) * 8);
    rl_free(t->column, (size_t)t->room * 8);
    rl_free(t->line, (size_t)t->room * sizeof(T));
}

static int NAME(turn_to)(NAME(tables) * t, const rl_regions *r, int64_t region) {
    if (t->region == region) return 0;
    const T *box = (const T *)r->boxes + 4 * region;
    int rc;
    if (r->mode == RL_REGION_PS_WHOLE) {
        rc = NAME(pixels)(&t->y, r->height, box[1], box[3]);
        if (!rc) rc = NAME(pixels)(&t->x, r->width, box[0], box[2]);
    } else {
        rc = NAME(sample)(&t->y, r->mode, r->sampling, r->height, box[1], box[3]);
        if (!rc) rc = NAME(sample)(&t->x, r->mode, r->sampling, r->width, box[0], box[2]);
    }
    if (rc) return rc;
    t->count = (T)(t->y.samples * t->x.samples);
    if (r->mode < RL_REGION_PS && !(t->count >= 1)) t->count = 1;
    t->region = region;
    if (r->mode >= RL_REGION_PS) return 0; /* which does not need `line` */
    int64_t entries = t->x.begin[r->columns], span = entries ? t->x.high - t->x.low : 0;
    t->dense = span <= 4 * entries;
    if (t->dense && span > 0) widen(r->width, &t->x.low, &t->x.high), span = t->x.high - t->x.low;
    t->width = t->dense ? span : entries;
    int64_t wanted = t->width > entries ? t->width : entries;
    if (wanted > t->room) {
        rl_free(t->column, (size_t)t->room * 8);
        rl_free(t->line, (size_t)t->room * sizeof(T));
        t->column = rl_alloc((size_t)wanted * 8);
        t->line = rl_alloc((size_t)wanted * sizeof(T));
        t->room = wanted;
        if (!t->column || !t->line) {
            t->region = -1;
            return RL_NO_MEMORY;
        }
    }
    for (int64_t e = 0; e < entries; e++) t->column[e] = t->dense ? t->x.index[e] - t->x.low : e;
    return 0;
}

/* The sum of a bin's elements in one plane. */
static T NAME(bin_sum)(const NAME(tables) * t, const T *plane, int64_t width, int64_t i, int64_t j) {
    T sum = 0;
    for (int64_t e = t->y.begin[i]; e < t->y.begin[i + 1]; e++) {
        const T *row = plane + t->y.index[e] * width;
        T part = 0;
        for (int64_t f = t->x.begin[j]; f < t->x.begin[j + 1]; f++) part += t->x.weight[f] * row[t->x.index[f]];
        sum += t->y.weight[e] * part;
    }
    return sum;
}

static void NAME(bin_add)(const NAME(tables) * t, T *plane, int64_t width, int64_t i, int64_t j, T value) {
    for (int64_t e = t->y.begin[i]; e < t->y.begin[i + 1]; e++) {
        T *row = plane + t->y.index[e] * width;
        T part = value * t->y.weight[e];
        for (int64_t f = t->x.begin[j]; f < t->x.begin[j + 1]; f++) row[t->x.index[f]] += t->x.weight[f] * part;
    }
}

/* The divisor of a bin's sum if bins have their own channels. */
static T NAME(divisor)(const NAME(tables) * t, int mode, int64_t i, int64_t j) {
    if (mode != RL_REGION_PS_WHOLE) return t->count;
    int64_t pixels = (t->y.begin[i + 1] - t->y.begin[i]) * (t->x.begin[j + 1] - t->x.begin[j]);
    return (T)(pixels ? pixels : 1);
}

/* Do one region in planes of `width` columns, `step` elements apart: first whole rows are added, then columns. */
CLONES static void NAME(average)(NAME(tables) * t, const T *plane, int64_t step, int64_t width, int64_t planes,
                                 T *out) {
    int64_t rows = t->y.bins, columns = t->x.bins, n = t->width;
    T *restrict line = t->line;
    for (int64_t c = 0; c < planes; c++, plane += step, out += rows * columns)
        for (int64_t i = 0; i < rows; i++) {
            T *to = out + i * columns;
            int64_t e = t->y.begin[i], stop = t->y.begin[i + 1];
            if (e == stop || n == 0) {
                for (int64_t j = 0; j < columns; j++) to[j] = 0;
                continue;
            }
            for (int64_t first = e; e < stop; e++) {
                const T *restrict row = plane + t->y.index[e] * width;
                T w = t->y.weight[e];
                if (t->dense) {
                    row += t->x.low;
                    if (e == first)
                        for (int64_t x = 0; x < n; x++) line[x] = w * row[x];
                    else
                        for (int64_t x = 0; x < n; x++) line[x] += w * row[x];
                } else {
                    const int64_t *at = t->x.index;
                    if (e == first)
                        for (int64_t x = 0; x < n; x++) line[x] = w * row[at[x]];
                    else
                        for (int64_t x = 0; x < n; x++) line[x] += w * row[at[x]];
                }
            }
            for (int64_t j = 0; j < columns; j++) {
                T sum = 0;
                for (int64_t f = t->x.begin[j]; f < t->x.begin[j + 1]; f++) sum += t->x.weight[f] * line[t->column[f]];
                to[j] = sum / t->count;
            }
        }
}

CLONES static void NAME(spread)(NAME(tables) * t, const T *in, int64_t step, int64_t width, int64_t planes, T *plane) {
    int64_t rows = t->y.bins, columns = t->x.bins, n = t->width;
    T *restrict line = t->line;
    if (n == 0) return;
    for (int64_t c = 0; c < planes; c++, plane += step, in += rows * columns)
        for (int64_t i = 0; i < rows; i++) {
            const T *from = in + i * columns;
            if (t->y.begin[i] == t->y.begin[i + 1]) continue;
            for (int64_t x = 0; x < n; x++) line[x] = 0;
            for (int64_t j = 0; j < columns; j++) {
                T value = from[j] / t->count;
                for (int64_t f = t->x.begin[j]; f < t->x.begin[j + 1]; f++)
                    line[t->column[f]] += t->x.weight[f] * value;
            }
            for (int64_t e = t->y.begin[i]; e < t->y.begin[i + 1]; e++) {
                T *restrict row = plane + t->y.index[e] * width;
                T w = t->y.weight[e];
                if (t->dense) {
                    row += t->x.low;
                    for (int64_t x = 0; x < n; x++) row[x] += w * line[x];
                } else {
                    for (int64_t x = 0; x < n; x++) row[t->x.index[x]] += w * line[x];
                }
            }
        }
}

/* Items are blocks of channels of regions. */
static int64_t NAME(average_items)(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_regions *r = j->r;
    NAME(tables) t;
    int64_t rc = NAME(open)(&t, r), plane = r->height * r->width, bins = r->rows * r->columns;
    for (int64_t item = begin; item < end && !rc; item++) {
        int64_t k = item / j->blocks, first = item % j->blocks * BLOCK;
        int64_t n = j->planes - first < BLOCK ? j->planes - first : BLOCK;
        if ((rc = NAME(turn_to)(&t, r, k))) break;
        const T *image = (const T *)r->images + r->at[k] * r->channels * plane;
        T *out = (T *)r->bins + (k * j->planes + first) * bins;
        if (r->mode < RL_REGION_PS)
            NAME(average)(&t, image + first * plane, plane, r->width, n, out);
        else
            for (int64_t c = 0; c < n * bins; c++) {
                int64_t i = c % bins / r->columns, jj = c % r->columns;
                T sum = NAME(bin_sum)(&t, image + (first * bins + c) * plane, r->width, i, jj);
                out[c] = sum / NAME(divisor)(&t, r->mode, i, jj);
            }
    }
    NAME(close)(&t, r);
    return rc;
}

/* Items are blocks of channels of images: each sums the contributions of all regions, in order. */
static int64_t NAME(spread_items)(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_regions *r = j->r;
    NAME(tables) t;
    int64_t rc = NAME(open)(&t, r), plane = r->height * r->width, bins = r->rows * r->columns;
    int64_t own = r->mode < RL_REGION_PS ? 1 : bins; /* how many planes of an image one plane of bins is made from */
    for (int64_t item = begin; item < end && !rc; item++) {
        int64_t image = item / j->blocks, first = item % j->blocks * BLOCK;
        int64_t n = j->planes - first < BLOCK ? j->planes - first : BLOCK;
        T *planes = (T *)r->images + (image * r->channels + first * own) * plane;
        memset(planes, 0, (size_t)(n * own * plane) * sizeof(T));
        for (int64_t k = 0; k < r->count; k++) {
            if (r->at[k] != image) continue;
            if ((rc = NAME(turn_to)(&t, r, k))) break;
            const T *in = (const T *)r->bins + (k * j->planes + first) * bins;
            if (r->mode < RL_REGION_PS)
                NAME(spread)(&t, in, plane, r->width, n, planes);
            else
                for (int64_t c = 0; c < n * bins; c++) {
                    int64_t i = c % bins / r->columns, jj = c % r->columns;
                    T value = in[c] / NAME(divisor)(&t, r->mode, i, jj);
                    NAME(bin_add)(&t, planes + c * plane, r->width, i, jj, value);
                }
        }
    }
    NAME(close)(&t, r);
    return rc;
}

/* The largest elements of bins whose rows are y and whose columns are x (begins, then ends): for each column the first
 * of the largest in a bin's rows, then the largest of these. most, at: workspaces of a row. */
CLONES static void NAME(largest)(const T *plane, int64_t width, const int64_t *y, int64_t rows, const int64_t *x,
                                 int64_t columns, T *restrict most, INDEX *restrict at, T *values, int32_t *to) {
    int64_t low = width, high = 0;
    for (int64_t j = 0; j < columns; j++) {
        if (x[j] < low) low = x[j];
        if (x[columns + j] > high) high = x[columns + j];
    }
    if (low < high) widen(width, &low, &high);
    for (int64_t i = 0; i < rows; i++, to += columns, values += columns) {
        int64_t first = y[i], n = high - low;
        int some = first < y[rows + i] && n > 0;
        for (int64_t k = 0; some && k < n; k++) most[k] = plane[first * width + low + k], at[k] = (INDEX)first;
        for (int64_t h = first + 1; some && h < y[rows + i]; h++) {
            const T *restrict row = plane + h * width + low;
            for (int64_t k = 0; k < n; k++) {
                int above = !(row[k] <= most[k]) & (most[k] == most[k]);
                most[k] = above ? row[k] : most[k];
                at[k] = above ? (INDEX)h : at[k];
            }
        }
        for (int64_t j = 0; j < columns; j++) {
            int64_t k = x[j] - low, stop = x[columns + j] - low, best = k;
            if (!some || k >= stop) {
                to[j] = -1, values[j] = 0;
                continue;
            }
            T b = most[k];
            INDEX row = at[k];
            for (k++; k < stop; k++) { /* without branches, which could not be predicted */
                T a = most[k];
                int above = (a > b) | ((a != a) & (b == b)), same = (a == b) | ((a != a) & (b != b));
                int wins = above | (same & (at[k] < row));
                b = wins ? a : b, row = wins ? at[k] : row, best = wins ? k : best;
            }
            to[j] = (int32_t)(row * width + low + best), values[j] = b;
        }
    }
}

/* The same for n planes, at most LANES, if bins are narrow: the planes of a row of pixels are put side by side
 * (`pixels`), and so are the largest elements of the bins (`most`, `at`). */
CLONES static void NAME(largest_side_by_side)(const T *images, int64_t plane, int64_t width, int64_t n,
                                              const int64_t *y, int64_t rows, const int64_t *x, int64_t columns,
                                              T *restrict pixels, T *restrict most, INDEX *restrict at, T *values,
                                              int32_t *to) {
    int64_t low = width, high = 0, bins = rows * columns;
    for (int64_t j = 0; j < columns; j++) {
        if (x[j] < low) low = x[j];
        if (x[columns + j] > high) high = x[columns + j];
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns * LANES; j++) most[j] = 0, at[j] = -1;
        for (int64_t h = y[i]; h < y[rows + i]; h++) {
            for (int64_t c = 0; c < n; c++)
                for (int64_t k = low; k < high; k++) pixels[(k - low) * LANES + c] = images[c * plane + h * width + k];
            for (int64_t j = 0; j < columns; j++) {
                T *restrict m = most + j * LANES;
                INDEX *restrict place = at + j * LANES;
                for (int64_t k = x[j]; k < x[columns + j]; k++) {
                    const T *restrict v = pixels + (k - low) * LANES;
                    INDEX here = (INDEX)(h * width + k);
                    for (int c = 0; c < LANES; c++) {
                        int above = (place[c] < 0) | (!(v[c] <= m[c]) & (m[c] == m[c]));
                        m[c] = above ? v[c] : m[c];
                        place[c] = above ? here : place[c];
                    }
                }
            }
        }
        for (int64_t c = 0; c < n; c++)
            for (int64_t j = 0; j < columns; j++) {
                values[c * bins + i * columns + j] = most[j * LANES + c];
                to[c * bins + i * columns + j] = (int32_t)at[j * LANES + c];
            }
    }
}

static int64_t NAME(largest_items)(void *ctx, int64_t begin, int64_t end) {
    const job *j = ctx;
    const rl_regions *r = j->r;
    int64_t plane = r->height * r->width, bins = r->rows * r->columns, last = -1;
    size_t bytes = (size_t)(r->rows + r->columns) * 16 + (size_t)(r->width + 2 * r->columns) * LANES * sizeof(T);
    int64_t *y = rl_alloc(bytes);
    if (!y) return RL_NO_MEMORY;
    int64_t *x = y + 2 * r->rows;
    T *pixels = (T *)(x + 2 * r->columns), *most = pixels + r->width * LANES;
    INDEX *at = (INDEX *)(most + r->columns * LANES);
    int64_t pixels_across = 0;
    for (int64_t item = begin; item < end; item++) {
        int64_t k = item / j->blocks, first = item % j->blocks * BLOCK;
        int64_t n = j->planes - first < BLOCK ? j->planes - first : BLOCK;
        if (k != last) {
            const T *box = (const T *)r->boxes + 4 * k;
            NAME(whole)(r->rows, box[1], box[3], 1, r->height, y, y + r->rows);
            NAME(whole)(r->columns, box[0], box[2], 1, r->width, x, x + r->columns);
            last = k;
            pixels_across = 0;
            for (int64_t b = 0; b < r->columns; b++)
                if (x[r->columns + b] > x[b]) pixels_across += x[r->columns + b] - x[b];
        }
        int narrow = pixels_across <= NARROW * r->columns;
        for (int64_t c = first; c < first + n; c += narrow ? LANES : 1) {
            int64_t to = (k * j->planes + c) * bins, some = first + n - c < LANES ? first + n - c : LANES;
            const T *image = (const T *)r->images + (r->at[k] * r->channels + c) * plane;
            if (narrow)
                NAME(largest_side_by_side)(image, plane, r->width, some, y, r->rows, x, r->columns, pixels, most, at,
                                           (T *)r->bins + to, r->places + to);
            else
                NAME(largest)(image, r->width, y, r->rows, x, r->columns, pixels, (INDEX *)(pixels + r->width),
                              (T *)r->bins + to, r->places + to);
        }
    }
    rl_free(y, bytes);
    return 0;
}

/* ---- rectangles ------------------------------------------------------------------------------------------------- */

/* Whether a box overlaps one of n others, which are stored by coordinate, by more than the threshold. */
CLONES static int NAME(overlaps)(const T *box, T area, T *const *kept, int64_t n, T threshold) {
    const T *restrict x1 = kept[0], *restrict y1 = kept[1], *restrict x2 = kept[2], *restrict y2 = kept[3];
    const T *restrict areas = kept[4];
    T inner[RUN];
    for (int64_t from = 0; from < n; from += RUN) {
        int64_t m = n - from < RUN ? n - from : RUN;
        int some = 0;
        for (int64_t k = 0; k < m; k++) {
            int64_t o = from + k;
            T left = x1[o] < box[0] ? box[0] : x1[o], top = y1[o] < box[1] ? box[1] : y1[o];
            T right = box[2] < x2[o] ? box[2] : x2[o], low = box[3] < y2[o] ? box[3] : y2[o];
            T w = 0 < right - left ? right - left : 0, h = 0 < low - top ? low - top : 0;
            inner[k] = w * h;
            some |= inner[k] != 0;
        }
        if (!some && threshold >= 0) continue; /* 0, or NaN, which compares as not above anything */
        int above = 0;
        for (int64_t k = 0; k < m; k++) above |= inner[k] / (areas[from + k] + area - inner[k]) > threshold;
        if (above) return 1;
    }
    return 0;
}

static int64_t NAME(keep)(int64_t n, const T *boxes, double limit, int64_t *keep) {
    size_t bytes = (size_t)n * 5 * sizeof(T);
    T *room = rl_alloc(bytes), *kept[5];
    if (!room) return RL_NO_MEMORY;
    for (int i = 0; i < 5; i++) kept[i] = room + i * n;
    T threshold = (T)limit; /* a number of T is above the limit if it is above the largest number of T that is not */
    if ((double)threshold > limit) threshold = BELOW(threshold);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const T *box = boxes + 4 * i;
        T area = (box[2] - box[0]) * (box[3] - box[1]);
        if (NAME(overlaps)(box, area, kept, count, threshold)) continue;
        for (int k = 0; k < 4; k++) kept[k][count] = box[k];
        kept[4][count] = area;
        keep[count++] = i;
    }
    rl_free(room, bytes);
    return count;
}

#undef T
#undef INDEX
#undef NAME
#undef BELOW
#undef EPSILON
