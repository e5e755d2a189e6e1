from libc.stdint cimport int64_t, uintptr_t

cdef class Arrays:
    cdef void* last          # the last block that was allocated, which begins with the address of the one before
    cdef void* room(self, size_t n_bytes) except NULL        # for as long as it lives
    cdef int* ints(self, values) except NULL
    cdef int64_t* longs(self, values) except NULL


cdef inline char* operand_at(
        void** buffers, int buffer, const int64_t* slots, int offset, int64_t item) noexcept:
    """The address of an operand in a buffer (-1: none), at an offset, in elements, that a slot holds (-1: none).

    The sum is one of integers: a tensor without elements may have no address, on which C has no arithmetic.
    """
    cdef uintptr_t place = <uintptr_t>buffers[buffer] if buffer >= 0 else 0
    return <char*>(place + <uintptr_t>(slots[offset] * item) if offset >= 0 else place)
