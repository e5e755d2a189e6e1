#define RL_LAPACK_FAMILY "lapack_hermitian.h"
#include "lapack_dtypes.h"
