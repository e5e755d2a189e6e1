/* Pictures of brightness and two differences of colour, the latter for two by two pixels (4:2:0), as red, green and
 * blue: in integers of 16 bits, so the results are the same on every processor. */
#ifndef RL_COLOURS_H
#define RL_COLOURS_H
#include <stdint.h>

typedef struct rl_colours {
    int64_t height, width;  /* height is even */
    const uint8_t *y, *u, *v; /* brightness, blue's and red's difference from it */
    int64_t y_row, u_row, v_row;
    uint8_t *rgb; /* three bytes per pixel, side by side */
    int64_t rgb_row;
    int16_t black;                         /* eight times the brightness of black */
    int16_t y_all, v_red, u_green, v_green, u_blue; /* the factors of the differences in the colours, times 2^13 */
} rl_colours;

void rl_rgb_of_colours(const rl_colours *call);

#endif
