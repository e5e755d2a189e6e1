#define RL_LAPACK_FAMILY "lapack_factors.h"
#include "lapack_dtypes.h"
