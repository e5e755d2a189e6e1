"""C arrays made from Python sequences, for the numbers that a plan passes to the core, and the addresses of operands.
"""
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc



ctypedef fused whole:
    int
    int64_t


cdef whole* filled(whole* p, values) except NULL:
    """The numbers of a sequence, written from `p` on."""
    cdef int i
    for i in range(len(values)):
        p[i] = values[i]
    return p


cdef class Arrays:
    """The owner of memory that lives as long as it does: the base class of steps, or an object for one call."""

    def __dealloc__(self):
        cdef void* before
        while self.last != NULL:
            before = (<void**>self.last)[0]
            free(self.last)
            self.last = before

    cdef void* room(self, size_t n_bytes) except NULL:
        """Memory of so many bytes."""
        cdef void** block = <void**>malloc(2 * sizeof(void*) + n_bytes)  # two words: the block stays aligned
        if block == NULL:
            raise MemoryError("plan")
        block[0] = self.last
        self.last = block
        return block + 2

    cdef int* ints(self, values) except NULL:
        return filled(<int*>self.room(len(values) * sizeof(int)), values)

    cdef int64_t* longs(self, values) except NULL:
        return filled(<int64_t*>self.room(len(values) * sizeof(int64_t)), values)
