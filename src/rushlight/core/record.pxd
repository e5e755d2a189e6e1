from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from rushlight.core.arrays cimport Arrays
from rushlight.core.engine cimport Node
from rushlight.core.execute cimport Executable, Scalar
from rushlight.core.flatten cimport Flat
from rushlight.core.tensor cimport Tensor

cdef struct Compared:
    # The answer to a comparison of a number in the trace: number OP constant, or number OP another number if `other` is
    # at least 0, is `expected`.
    int number
    int other                # -2: the imaginary part of the number is compared
    int op                   # of COMPARISONS
    int expected
    double constant
    double high              # the end of a range, which begins with `constant`

cdef class Derivative

cdef class CompiledCall(Arrays):
    """A cached call: its executable, how results are wrapped, and its derivative when a graph node is due."""
    cdef public Executable executable
    cdef public object wrap              # list of tensors -> result, or None for the single tensor
    cdef public Derivative derivative
    cdef public int n_outputs            # how many of the executable's outputs the caller gets
    cdef public object program
    # the warning that the trace has found, or None; given at every call (core/warning.py)
    cdef public list warned
    cdef Compared* compared              # guards on numbers, as `executable` has guards on sizes
    cdef int n_compared
    cdef bint numbers_fit(self, Scalar* scalars, int n) noexcept

cdef class Derivative(Arrays):
    """The reverse side of a compiled call."""
    cdef public str label
    cdef public list residuals           # [(source, index)]: 0 input, 1 output, 2 extra output of the forward program
    cdef public list active              # indices of the inputs (tensors in order) that get cotangents
    cdef public list cotangent_outputs   # output indices that bring a cotangent
    cdef public list scalars             # indices of the scalars that the backward program takes
    cdef public list grads               # per active input: position among the backward outputs, or None
    # the first n_own residuals are for the backward, the others for its own derivative
    cdef public int n_own
    # a second run is refused though nothing is kept: PyTorch keeps a number as it keeps tensors, or single calls would
    # keep some
    cdef public bint runs_once
    cdef public list own_scalars         # the `scalars` that are not only for its own derivative
    cdef public object backward          # the backward Program
    cdef public list operands            # the codes of the dtypes of its operands: `n_own` residuals, then cotangents
    cdef public CompiledCall compiled    # of the backward program, without recording
    cdef public object operator          # the backward program as an operator, for create_graph and transforms
    cdef public int n_syms
    # gives the transforms.Derivative, if extras are computed again for the backward's own derivative
    cdef public object again
    cdef public object operator_again
    # the call that was traced (operators/table/compile.Origin): what `_saved_*` of a node is read from
    cdef public object origin
    # PlanNode.places, once it was needed
    cdef tuple places
    # PlanNode.visits, once a backward has needed it
    cdef tuple visits
    cdef bint visits_known
    # makes the derivatives of other classes of the call; None once that is done (operators/table/precompile.py)
    cdef public object precompile
    # residual position -> active position: a copy of what an in-place call overwrote
    cdef public dict old
    cdef bint meta                       # the call was one without data (part of its key)
    # whether the gradients are the outputs of the backward, unchanged: 1, 0, or -1 for not yet known
    cdef int plain
    # `active`, `cotangent_outputs` and `residuals` for `record`, from its first call on
    cdef int n_active, n_cotangents, n_residuals
    # active, cotangent outputs, source and index of each residual, dtype of each operand of `backward`
    cdef int* numbers
    cdef bint as_they_come(self, list out)
    cdef int count(self) except -1

cdef class PlanNode(Node):
    """The graph node of a compiled call: residual tensors, sizes and numbers, and the backward program."""
    cdef readonly Derivative derivative
    cdef list saved
    cdef list versions
    cdef int64_t* syms
    cdef Scalar* scalars
    cdef int n_scalars
    cdef int64_t few_syms[8]
    # (size, dtype, meta) per cotangent output, for zeros; only when there are several
    cdef list out_meta
    cdef bint freed
    cdef object unpack                   # from saved_tensors_hooks: then `saved` has the results of the pack hook
    cdef PyObject* code                  # the user's line, see user_line
    cdef int lasti
    cdef int check_place(self, int i) except -1
    cdef Tensor residual(self, int i)
    cdef Tensor operand(self, Tensor t, int code, str what)
    cdef list apply_operator(self, list args, list grads)

cdef int check_saved(str name, Derivative d, Flat* f) except -1
cdef void record(object op, CompiledCall c, Flat* f, list results, list dests) except *
cdef void wrote(list dests) except *
cdef void came_together(list views) noexcept
