# How a tape takes the calls of an operator, as the recorder says when it first meets it (jit/recording.py).
cpdef enum Taken:
    UNKNOWN = 0       # not met yet
    NOTED = 1         # they wait
    APART = 2         # they run at once
    COMPOSED = 3      # the calls of its body are taken, one by one
    WRITES = 4        # they run at once, after what reads the memory that they write to
    ALIASED = 5       # detach(): of what waits, a view without history
    BY_RECORDER = 6   # the recorder looks at each

# Where an argument of a step comes from.
cpdef enum From:
    FROM_STEP = 0     # it is part of the step
    FROM_VALUE = 1    # the value of that number
    FROM_INT = 2      # the int of that number
    FROM_NUMBER = 3   # the number of that number
    FROM_SEVERAL = 4  # a tuple of such
    FROM_INTS = 5     # a tuple of all ints
