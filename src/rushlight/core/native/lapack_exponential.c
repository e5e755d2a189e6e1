#include "blocked.h"

#define RL_LAPACK_FAMILY "lapack_exponential.h"
#include "lapack_dtypes.h"
