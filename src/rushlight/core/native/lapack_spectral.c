#define RL_LAPACK_FAMILY "lapack_spectral.h"
#include "lapack_dtypes.h"
