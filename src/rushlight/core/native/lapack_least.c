#include "alloc.h"
#include "blocked.h"
#include "reflectors.h"

#define RL_LAPACK_FAMILY "lapack_least.h"
#include "lapack_dtypes.h"
