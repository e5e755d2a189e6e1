#include <float.h>

#include "alloc.h"
#include "reflectors.h"

#define RL_LAPACK_FAMILY "lapack_hermitian.h"
#include "lapack_dtypes.h"
