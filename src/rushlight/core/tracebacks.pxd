cdef void trim_error() noexcept
