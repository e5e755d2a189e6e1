/* From the coefficients of a JPEG file to its pixels. */
#ifndef RL_JPEG_PIXELS_H
#define RL_JPEG_PIXELS_H
#include <stdint.h>

/* Blocks of 8 x 8 are transformed sixteen at a time: number k of all of them lies side by side. */
enum { RL_JPEG_LANES = 16, RL_JPEG_GROUP = 64 * RL_JPEG_LANES };

/* Sixteen blocks that lie side by side, from coefficients times `quantum` to eight rows of 128 pixels. Not 0 where
 * numbers are so large that the field's decoders, which compute them in 16 bits, do not agree. */
int rl_jpeg_blocks(const int16_t *coefficients, const uint16_t *quantum, uint8_t *pixels, int64_t row);

/* Rows of `width` pixels, for which there are `count` numbers of each of two differences of colour: one for `across`
 * pixels of a row, and for `down` rows, 1 or 2 each. */
typedef struct rl_jpeg_rows {
    int64_t width, count;
    int across, down;
    int16_t *work;     /* room for 3 * (width + 64) numbers */
    uint8_t place[192]; /* where the bytes of 64 pixels come from */
} rl_jpeg_rows;

/* Fill in what is the same for all rows. */
void rl_jpeg_prepare(rl_jpeg_rows *rows);

/* A row of pixels. `near` and `far`: the rows of a difference that lie nearest and second nearest, which are the same
 * where there is one for each row of pixels. */
void rl_jpeg_colours(const rl_jpeg_rows *rows, const uint8_t *brightness, const uint8_t *blue_near,
                     const uint8_t *blue_far, const uint8_t *red_near, const uint8_t *red_far, uint8_t *rgb);

#endif
