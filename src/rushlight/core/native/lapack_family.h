/* Included by lapack_dtypes.h once per dtype. */
#include "lapack_typed.h"
#include RL_LAPACK_FAMILY

#undef T
#undef R
#undef DTYPE
#undef IS_COMPLEX
#undef NAME
#undef CONJ
#undef REAL
#undef ABS
#undef RABS
