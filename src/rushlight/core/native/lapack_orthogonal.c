#define RL_LAPACK_FAMILY "lapack_orthogonal.h"
#include "lapack_dtypes.h"
