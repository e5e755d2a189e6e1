from libc.stdint cimport int64_t, uintptr_t

cdef class Arrays:
    cdef void* last          # the block that was allocated last: it begins with the address of the one before
    cdef void* room(self, size_t n_bytes) except NULL        # for as long as it lives
    cdef int* ints(self, values) except NULL
    cdef int64_t* longs(self, values) except NULL


cdef inline char* operand_at(
        void** buffers, int buffer, const int64_t* slots, int offset, int64_t item) noexcept:
    """Where an operand of `buffer` begins, which is -1 for none, for an offset of so many elements in a slot, or -1 for
    none.

    It is added up as integers: a tensor without elements may have no address, and C has no arithmetic on that.
    """
    cdef uintptr_t place = <uintptr_t>buffers[buffer] if buffer >= 0 else 0
    return <char*>(place + <uintptr_t>(slots[offset] * item) if offset >= 0 else place)
