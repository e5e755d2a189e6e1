from libc.stdint cimport int64_t
from rushlight.core._native cimport rl_epilogue
from rushlight.core.arrays cimport Arrays
from rushlight.core.storage cimport Storage
from rushlight.core.tensor cimport MAX_DIMS

cdef class Library:
    cdef str name
    cdef object function
    cdef list views          # (buffer, code, offset slot, size slots, stride slots)
    cdef dict params
    cdef tuple ints
    cdef int n_in, routine
    cdef list sized, sized_lists       # parameters that are sizes, read from slots at each launch

# A batched matrix product, C (m, n) = A (m, k) @ B (k, n): the addresses of the three, and strides in elements.
cdef struct Dot:
    int dtype                # in native/blas.h; -1: no product of the core
    int item, c_item, nb     # bytes of an element of A and B, and of C
    int64_t m, n, k
    char* p[3]
    int64_t row[3]
    int64_t column[3]
    int64_t size[MAX_DIMS]   # of the batch
    int64_t stride[3][MAX_DIMS]

# A row-major operand.
cdef struct Block:
    char* data
    int code, rank
    int64_t sizes[MAX_DIMS]

cdef struct Convolution:
    int dtype
    Block b[3]               # x, w, y
    int64_t v[10]            # strides, low paddings, dilations (three each) and groups

cdef class Conv(Library):
    cdef int mode
    cdef int place[3]        # the positions of x, w and y among the operands: the first input, the second, the output
    cdef int slot[10]        # the slots of the numbers of a Convolution; -1: `fixed` has the number
    cdef int64_t fixed[10]
    cdef int know(self, int k, object x) except -1

cdef class Operands(Arrays):
    cdef int n
    cdef int* buffers        # -1: a result that is not needed
    cdef int* offsets
    cdef int* ranks
    cdef int* items
    cdef int* sizes          # n x MAX_DIMS slots
    cdef int* strides

cdef class Lapack(Operands):
    cdef int routine, dtype, nb
    cdef int64_t flags
    cdef int64_t multiply_from
    cdef object name, check

cdef extern from "fourier.h":
    ctypedef struct rl_fourier_plan:
        pass
    ctypedef struct rl_fourier_call:
        int64_t nd
        int64_t size[64]
        int64_t in_step[64]
        int64_t out_step[64]
        const char* in_ "in"
        char* out
        int64_t kind, item, inverse, trig, n_axes
        int64_t axis[64]
        int64_t real_size
        const rl_fourier_plan* plan[64]
        double scale
    int64_t rl_fourier(const rl_fourier_call*) nogil

# A transform of operands of some sizes: everything but their addresses.
cdef class Transform:
    cdef rl_fourier_call call
    cdef int64_t sizes[2 * MAX_DIMS]
    cdef tuple plans         # the call points to these

cdef class Fourier(Operands):
    cdef str name
    cdef object dtype
    cdef dict params
    cdef bint real           # the operand has complex elements
    cdef Transform last      # None: there was none

# Strides in elements.
cdef struct _Matrix:
    char* data
    int64_t rows, columns, row, column

cdef class Panels:
    cdef int blas, item
    cdef int64_t columns
    cdef Storage memory

cdef object library_step(object s)
cdef int open_products(int dtype) except -1
cdef int read_dot(Library s, int64_t* slots, void** buffers, Dot* d) except -1
cdef int run_dot(Dot* d, const rl_epilogue* then) except -1
cdef bint read_result(Conv s, int64_t* slots, void** buffers, Convolution* c, Dot* d) except -1
cdef int convolve(Conv s, Convolution* c, const rl_epilogue* then) except -1
cdef _Matrix matrix_of(tuple view, int64_t* slots, void** buffers) noexcept
cdef Panels panels_of(Library s, int constants, int64_t* slots, void** buffers)
cdef int run_panels(Library s, Panels b, int64_t* slots, void** buffers) except -1
cdef int run_library(Library s, int64_t* slots, void** buffers) except -1
cdef int run_fourier(Fourier s, int64_t* slots, void** buffers) except -1
cdef int run_lapack(Lapack s, int64_t* slots, void** buffers) except -1
