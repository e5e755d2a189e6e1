cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rushlight.core.arrays cimport Arrays
from rushlight.core.tensor cimport Tensor

cdef enum ScalarKind:
    BOOL = 0
    INT = 1
    FLOAT = 2
    COMPLEX = 3
    UINT = 4            # an int that fits into uint64 and not into int64

cdef struct Scalar:
    int64_t lo          # bit pattern: float64, int64, uint64 or bool; the real part of complex128
    int64_t hi          # the imaginary part
    int kind            # of ScalarKind

@cython.final
cdef class Executable(Arrays):
    cdef public object plan
    cdef int n_slots, scratch, n_sym, n_in, n_scalars, n_allocs, first_alloc, code_base, post_base
    # working memory of the launch that needs most, see launch_in
    cdef int* sym_tensor        # per symbol: the input tensor, or -1 for an int argument
    cdef int* sym_dim           # per symbol: the dimension, or the number of the int argument
    cdef int* stride_base       # per input
    cdef int* scalar_base
    cdef int* operands          # per input: the dtype code and rank that it must have
    # input, dimension, slot of the expected size (-1: the number that follows)
    cdef int* checks
    cdef int n_checks
    cdef str owner              # the operator, for errors
    cdef str title(self)
    cdef int refuse(self, int k, Tensor t, int64_t* slots, bint meta) except -1
    cdef int n_code, n_post, n_guards
    cdef int* code              # op, a, b
    cdef int64_t* imm
    cdef int* post
    cdef int64_t* post_imm
    cdef int* guards            # slot, expected
    cdef int* begins            # pairs of a step and a buffer that is allocated before it
    cdef int* ends              # ... and a buffer that is freed after it
    cdef int* lasts             # ... and an input that no later step reads or writes
    cdef bint changing          # whether there may be any
    cdef list allocs, steps, outs
    cdef bint direct            # the only buffer, which is the output as it was allocated
    cdef public int n_out
    cdef list allocate(
        self, int64_t* slots, PyObject** ts, void** buffers, list dests, list outputs, bint meta,
        int64_t* lent)
    cdef int run_steps(
        self, int64_t* slots, void** buffers, int64_t* lent, int64_t* room, list keep, list held) except -1
    cdef int lend(self, int k, int64_t* slots, void** buffers, int64_t* lent) except -1
    cdef bint all_apart(self, PyObject** ts, list dests) noexcept
    cdef int check_inside(self, int64_t* slots, list dests, bint meta) except -1
    cdef int lay(self, Tensor t, object alloc, PyObject** ts) except -1
    cdef bint hands_channels_last(self, int handed, int rank, PyObject** ts) noexcept
    cdef void finish_outputs(self, int64_t* slots, PyObject** ts, list outputs, list keep, list dests) except *
    cdef list spare                     # the list of outputs of an earlier call
    cdef void take_back(self, list outputs)
    cdef object value_of(self, list outputs)
    cdef list run(
        self, PyObject** ts, int n_ts, int64_t* ints, Scalar* scalars, list dests, bint meta, int64_t* syms_out,
        list held)
