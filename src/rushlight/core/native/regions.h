/* Regions of images: averages of their bilinear samples, and their largest elements; and the overlap of rectangles. */
#ifndef RL_REGIONS_H
#define RL_REGIONS_H
#include <stdint.h>

enum rl_region_mode {
    RL_REGION_ALIGN,    /* samples; a region has a side of at least 1 */
    RL_REGION_HALF,     /* samples; coordinates are those of pixels' centres */
    RL_REGION_PS,       /* as HALF, but each bin is of its own group of channels */
    RL_REGION_PS_WHOLE, /* each bin is of its own channels, the mean of whole pixels */
};

typedef struct rl_regions {
    int mode, is_double;
    int64_t n, channels, height, width; /* the images */
    int64_t count, rows, columns;       /* how many regions there are, and bins along each side */
    int64_t sampling;                   /* samples along each side of a bin; if not above 0, one per pixel */
    const int64_t *at;                  /* the image of each region */
    const void *boxes;                  /* (count, 4): x1, y1, x2, y2 */
    void *images;                       /* (n, channels, height, width) */
    void *bins;                         /* (count, channels, or channels / bins, rows, columns) */
    int32_t *places;                    /* of the same size; only for rl_region_largest */
} rl_regions;

/* bins = the averages of the images' regions. RL_NO_MEMORY, or RL_NO_IMAGE: a number of an image is out of range, and
 * nothing is written. */
enum { RL_NO_IMAGE = -9 };
int64_t rl_region_average(const rl_regions *r);

/* images = the transpose of that, applied to bins. */
int64_t rl_region_spread(const rl_regions *r);

/* bins = the largest element of each bin of whole pixels, where NaN is the largest; places = its index in its plane,
 * the first of equal ones. For an empty bin they are 0 and -1. */
int64_t rl_region_largest(const rl_regions *r);

/* Boxes (n, 4) in falling order of their scores, of float or double: keep[0 .. result) become the numbers of those that
 * overlap no kept box before them by more than `threshold`, as intersection over union. Returns their number, or
 * RL_NO_MEMORY. */
int64_t rl_boxes_keep(int is_double, int64_t n, const void *boxes, double threshold, int64_t *keep);

/* out (n, m), float: intersection over union of rectangles (centre x and y, width, height, angle in degrees). */
int64_t rl_boxes_turned(int is_double, int64_t n, int64_t m, const void *a, const void *b, float *out);

#endif
