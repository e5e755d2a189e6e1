#include "regions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "clones.h"
#include "pool.h"

enum { BLOCK = 32 /* channels of an item of work */, RUN = 64 /* how many boxes are compared at once */, VECTOR = 16 };
/* Bins of so many columns on average are narrow, and then so many planes are processed side by side. */
enum { NARROW = 4, LANES = 16 };

typedef struct {
    const rl_regions *r;
    int64_t planes; /* channels of the bins */
    int64_t blocks; /* of them */
} job;

/* [low, high) of `width` columns, extended where there are more: whole vectors take less time than partial ones. */
static void widen(int64_t width, int64_t *low, int64_t *high) {
    int64_t wanted = (*high - *low + VECTOR - 1) / VECTOR * VECTOR;
    if (wanted > width) return;
    if (*low + wanted > width) *low = width - wanted;
    *high = *low + wanted;
}

#define T float
#define INDEX int32_t
#define NAME(x) x##_f
#define BELOW(x) nextafterf(x, -INFINITY)
#define EPSILON FLT_EPSILON
#include "regions_typed.h"

#define T double
#define INDEX int64_t
#define NAME(x) x##_d
#define BELOW(x) nextafter(x, -INFINITY)
#define EPSILON DBL_EPSILON
#include "regions_typed.h"

static int64_t run(const rl_regions *r, int64_t images, rl_range_fn single, rl_range_fn twice) {
    for (int64_t k = 0; k < r->count; k++)
        if (r->at[k] < 0 || r->at[k] >= r->n) return RL_NO_IMAGE;
    job j = {.r = r, .planes = r->mode < RL_REGION_PS ? r->channels : r->channels / (r->rows * r->columns)};
    j.blocks = (j.planes + BLOCK - 1) / BLOCK;
    return rl_parallel_for(r->is_double ? twice : single, &j, images * j.blocks, 1);
}

int64_t rl_region_average(const rl_regions *r) { return run(r, r->count, average_items_f, average_items_d); }

int64_t rl_region_spread(const rl_regions *r) { return run(r, r->n, spread_items_f, spread_items_d); }

int64_t rl_region_largest(const rl_regions *r) { return run(r, r->count, largest_items_f, largest_items_d); }

int64_t rl_boxes_keep(int is_double, int64_t n, const void *boxes, double threshold, int64_t *keep) {
    return is_double ? keep_d(n, boxes, threshold, keep) : keep_f(n, boxes, threshold, keep);
}

/* ---- rectangles that are turned --------------------------------------------------------------------------------- */

typedef struct {
    double x, y;
} point;

typedef struct {
    int64_t m;
    int is_double;
    const void *a, *b;
    float *out;
} turned;

static double cross(point a, point b) { return a.x * b.y - a.y * b.x; }

static point minus(point a, point b) { return (point){a.x - b.x, a.y - b.y}; }

/* The corners of a rectangle in order around it, relative to (x, y). The angle turns x away from y. */
static void corners(const double *box, double x, double y, point *to) {
    double angle = -box[4] * (M_PI / 180), c = cos(angle) / 2, s = sin(angle) / 2;
    point across = {c * box[2], s * box[2]}, along = {-s * box[3], c * box[3]}, mid = {box[0] - x, box[1] - y};
    for (int k = 0; k < 4; k++) {
        double u = k == 0 || k == 3 ? -1 : 1, v = k < 2 ? -1 : 1;
        to[k] = (point){mid.x + u * across.x + v * along.x, mid.y + u * across.y + v * along.y};
    }
}

/* The part of the polygon p, of n corners, on one side of the line from a to b: at most n + 1 corners. */
static int cut(const point *p, int n, point a, point b, double side, point *to) {
    int m = 0;
    for (int k = 0; k < n; k++) {
        point q = p[k], r = p[k + 1 < n ? k + 1 : 0];
        double dq = side * cross(minus(b, a), minus(q, a)), dr = side * cross(minus(b, a), minus(r, a));
        if (dq >= 0) to[m++] = q;
        if ((dq > 0 && dr < 0) || (dq < 0 && dr > 0)) {
            double t = dq / (dq - dr);
            to[m++] = (point){q.x + t * (r.x - q.x), q.y + t * (r.y - q.y)};
        }
    }
    return m;
}

static double over_union(const double *a, const double *b) {
    double area_a = a[2] * a[3], area_b = b[2] * b[3];
    if (area_a < 1e-14 || area_b < 1e-14) return 0;
    point p[16], q[16], other[4];
    double x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2; /* far from the origin digits would be lost */
    corners(a, x, y, p);
    corners(b, x, y, other);
    double side = cross(minus(other[1], other[0]), minus(other[2], other[1])) < 0 ? -1 : 1;
    int n = 4;
    for (int k = 0; k < 4 && n; k++) {
        n = cut(p, n, other[k], other[k < 3 ? k + 1 : 0], side, q);
        memcpy(p, q, (size_t)n * sizeof(point));
    }
    double area = 0;
    for (int k = 2; k < n; k++) area += cross(minus(p[k - 1], p[0]), minus(p[k], p[0]));
    area = fabs(area) / 2;
    return area / (area_a + area_b - area);
}

static void read_box(const void *boxes, int is_double, int64_t k, double *to) {
    for (int i = 0; i < 5; i++)
        to[i] = is_double ? ((const double *)boxes)[5 * k + i] : ((const float *)boxes)[5 * k + i];
}

static int64_t turned_rows(void *ctx, int64_t begin, int64_t end) {
    const turned *t = ctx;
    double a[5], b[5];
    for (int64_t i = begin; i < end; i++) {
        read_box(t->a, t->is_double, i, a);
        for (int64_t k = 0; k < t->m; k++) {
            read_box(t->b, t->is_double, k, b);
            t->out[i * t->m + k] = (float)over_union(a, b);
        }
    }
    return 0;
}

int64_t rl_boxes_turned(int is_double, int64_t n, int64_t m, const void *a, const void *b, float *out) {
    turned t = {.m = m, .is_double = is_double, .a = a, .b = b, .out = out};
    return rl_parallel_for(turned_rows, &t, n, m ? 4096 / m + 1 : 4096);
}
