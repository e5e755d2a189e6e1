/* Transposes of real row-major matrices: to (n x m) = the transpose of `from` (m x n), whose rows are so many elements
 * apart. Not `parallel`: on the calling thread only. */
#ifndef RL_TURN_H
#define RL_TURN_H
#include <stdint.h>

void rl_turn_f32(int64_t m, int64_t n, const float *from, int64_t ldf, float *to, int64_t ldt, int parallel);
void rl_turn_f64(int64_t m, int64_t n, const double *from, int64_t ldf, double *to, int64_t ldt, int parallel);

#endif
