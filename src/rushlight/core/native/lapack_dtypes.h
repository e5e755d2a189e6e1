/* Includes the file RL_LAPACK_FAMILY, the routines of a family, once per dtype. */

/* Products of complex numbers as four products and two sums: C's operator, which repairs infinities, is a function
 * call. */
#ifdef __GNUC__
#pragma GCC optimize("cx-limited-range")
#endif

#include <complex.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "lapack_internal.h"
#include "turn.h"

#define ROW_MAJOR 101
#define COL_MAJOR 102

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)

#define T float
#define R float
#define DTYPE RL_F32
#define IS_COMPLEX 0
#define NAME(x) CAT(x, f32)
#define CONJ(x) (x)
#define REAL(x) (x)
#define ABS(x) fabsf(x)
#define RABS(x) fabsf(x)
#include "lapack_family.h"

#define T double
#define R double
#define DTYPE RL_F64
#define IS_COMPLEX 0
#define NAME(x) CAT(x, f64)
#define CONJ(x) (x)
#define REAL(x) (x)
#define ABS(x) fabs(x)
#define RABS(x) fabs(x)
#include "lapack_family.h"

#define T float _Complex
#define R float
#define DTYPE RL_C64
#define IS_COMPLEX 1
#define NAME(x) CAT(x, c64)
#define CONJ(x) conjf(x)
#define REAL(x) crealf(x)
#define ABS(x) cabsf(x)
#define RABS(x) fabsf(x)
#include "lapack_family.h"

#define T double _Complex
#define R double
#define DTYPE RL_C128
#define IS_COMPLEX 1
#define NAME(x) CAT(x, c128)
#define CONJ(x) conj(x)
#define REAL(x) creal(x)
#define ABS(x) cabs(x)
#define RABS(x) fabs(x)
#include "lapack_family.h"
