/* Blocks of coefficients as pixels, for one width of vectors: NAME, TARGET, V (a vector of numbers of 32 bits), V_LOAD,
 * V_LARGEST (at least), V_SMALLEST (at most), V_FAR (whether any is out of what 14 bits hold) and V_PUT. */

/* The weights are those of libjpeg's exact transform, 2^13 times sums of cosines. All is exact but for the roundings
 * after each of the two transforms, so the order of sums does not matter. */
static TARGET int NAME(const int16_t *c, const uint16_t *quantum, uint8_t *pixels, int64_t row) {
    enum { FIRST = 11, SECOND = 18 }; /* bits that are dropped after each transform */
    V between[64], large = {0};
    for (int column = 0; column < 8; column++) {
        V x[8], even[4], odd[4];
        for (int k = 0; k < 8; k++) {
            x[k] = V_LOAD(c + (8 * k + column) * RL_JPEG_LANES) * (int32_t)quantum[8 * k + column];
            large |= x[k] + LIMIT;
        }
        if (V_FAR(large)) return 1;
        TRANSFORM(x, even, odd)
        for (int k = 0; k < 4; k++) {
            const V up = (even[k] + odd[k] + (1 << (FIRST - 1))) >> FIRST;
            const V down = (even[k] - odd[k] + (1 << (FIRST - 1))) >> FIRST;
            between[8 * k + column] = up, between[8 * (7 - k) + column] = down;
            large |= (up + LIMIT) | (down + LIMIT);
        }
    }
    if (V_FAR(large)) return 1;
    for (int r = 0; r < 8; r++) {
        V even[4], odd[4], y[8];
        TRANSFORM(between + 8 * r, even, odd)
        for (int k = 0; k < 4; k++) {
            const int32_t half = (1 << (SECOND - 1)) + (128 << SECOND);
            const V up = (even[k] + odd[k] + half) >> SECOND, down = (even[k] - odd[k] + half) >> SECOND;
            y[k] = V_SMALLEST(V_LARGEST(up, 0), 255), y[7 - k] = V_SMALLEST(V_LARGEST(down, 0), 255);
        }
        V_PUT(y, pixels + r * row);
    }
    return 0;
}

#undef NAME
#undef TARGET
#undef V
#undef V_LOAD
#undef V_LARGEST
#undef V_SMALLEST
#undef V_FAR
#undef V_PUT
