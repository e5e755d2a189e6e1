from rushlight.core.tensor cimport Tensor

# The source of an argument of a step.
cpdef enum From:
    FROM_STEP = 0     # a constant in the step
    FROM_VALUE = 1    # the value of that number
    FROM_INT = 2      # the int of that number
    FROM_NUMBER = 3   # the number of that number
    FROM_SEVERAL = 4  # a tuple of such
    FROM_INTS = 5     # a tuple of all ints

cdef int written_again(dict writes, list env, results) except -1
