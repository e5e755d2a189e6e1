#include "blocked.h"

#define RL_LAPACK_FAMILY "lapack_solve.h"
#include "lapack_dtypes.h"
