cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from rushlight.core.base cimport BUILTIN_DTYPES, OperatorBase
from rushlight.core.flatten cimport MAX_PARAMS, Flat
from rushlight.core.record cimport CompiledCall
from rushlight.core.tensor cimport State, Tensor

ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
# A vectorcall that leaves its error set, for its caller to look at.
ctypedef PyObject* (*quiet_vectorcall)(PyObject*, PyObject* const*, size_t, PyObject*) noexcept

# How a tape treats the calls of an operator, which the recorder decides when it first meets it (jit/recording.py).
cpdef enum Taken:
    UNKNOWN = 0       # not met yet
    NOTED = 1         # they wait
    APART = 2         # they run at once
    COMPOSED = 3      # the calls of its body are noted, one by one
    WRITES = 4        # they run at once, after the calls that read the memory that they write to
    ALIASED = 5       # detach(): of a pending tensor, a view without history
    BY_RECORDER = 6   # the recorder decides for each call
    MADE = 7          # factories: where a program makes their usual call, its call waits; the body's calls otherwise

cdef struct Written:
    # A call as it was written: positional arguments, then those whose names are in the tuple kwnames.
    PyObject** args
    Py_ssize_t nargs
    PyObject* kwnames

cdef class Entry:
    """The compiled calls of one key."""
    cdef bytes key
    cdef uint64_t hash
    cdef list calls
    cdef list keep          # objects whose identity is part of the key

cdef class Usual:
    """Makes the usual calls of an eager operator, without its body."""
    cdef Operator op
    cdef Operator noted                          # of programs that make such a tensor; None where there are none
    cdef int made_for(self, Operator op) except -1
    cdef object make(self, PyObject** vals)      # the result for bound arguments; None if the body must make the call
    cdef tuple as_program(self, PyObject** vals) # an operator and arguments that give that; None if there are none

@cython.final
cdef class Operator(OperatorBase):
    cdef vectorcallfunc vectorcall
    cdef readonly str name
    cdef readonly tuple params           # their exact types: errors and keys are made from them without checks
    cdef readonly dict index             # parameter name (and alias) -> position
    cdef readonly object definition      # the Python side: operators/table/definition.Definition
    cdef readonly object eager
    cdef readonly bint inplace
    cdef readonly Operator functional    # of an in-place variant: the operator itself
    cdef bint eager_writes               # a Python function that writes to argument 0
    cdef readonly bint is_view
    cdef readonly bint takes_out
    cdef public object words             # what it is, in words, once that was asked (operators/table/kept.py)
    cdef readonly dict implementations   # device type, layout or dtype name -> Python function
    cdef Usual usual                     # see `usually`
    cdef int taken                       # how a tape treats its calls: see Taken
    cdef dict __dict__
    cdef int n, n_positional, dtype_at, varargs_at
    cdef int kinds[MAX_PARAMS]           # of params, as are the next two
    cdef bint optional[MAX_PARAMS]
    cdef PyObject* defaults[MAX_PARAMS]  # NULL: the argument is required
    cdef PyObject* fixed[MAX_PARAMS]     # the default where it is static, see Param.fixed, else NULL
    cdef list held                       # keeps alive what these point to, whatever happens to the params
    cdef Entry last
    cdef PyObject** table
    cdef int table_size
    cdef list entries
    cdef object __weakref__
    cdef object call(self, PyObject** args, Py_ssize_t nargs, PyObject* kwnames, OperatorBase called)
    cdef object gather_varargs(self, PyObject** args, Py_ssize_t nargs, PyObject** vals)
    cdef object call_bound(self, PyObject** vals, object out, OperatorBase called, Written* written)
    cdef object call_plain(self, PyObject** vals, OperatorBase called, bint value)
    cdef object call_eager(self, PyObject** vals, object out, State* state, OperatorBase called, Written* written)
    cdef object usual_call(self, PyObject** vals)
    cdef object explained(self, PyObject** vals, error, out)
    cdef int take(self, Flat* f, int i, PyObject* v, bint grad) except -1
    cdef list values(self, PyObject** vals)
    cdef Entry find(self, Flat* f)
    cdef void insert(self, Entry e) except *
    cdef void place(self, Entry e) noexcept
    cdef object launch(self, Flat* f, PyObject** vals, object out)
    cdef list execute(self, CompiledCall c, Flat* f, list dests)

cdef inline bint plain_here(object x) noexcept:
    """Whether `x` is a plain tensor: no subclass, transform or device takes part in its calls."""
    return isinstance(x, Tensor) and not (<Tensor>x).keys and (<Tensor>x).code < BUILTIN_DTYPES

# The functions of tape.pyx for the calls of a thread, set when that module is loaded.
cdef struct OfTapes:
    # None: the call is made as any call below modes
    object (*take)(Operator, PyObject**, State*, OperatorBase, Written*)
    bint (*composes)(Operator, State*) noexcept          # the calls of an eager operator's body are noted, one by one
    object (*make)(Operator, PyObject**, State*)         # the pending result of a factory; None: its body is called
cdef OfTapes TAPES

cdef PyObject* unfinished_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL
cdef void install_vectorcall(type cls, Py_ssize_t offset, bint method) except *
cdef object bind_keywords(
    OperatorBase called, str name, tuple params, dict index, PyObject** args, PyObject* kwnames, PyObject** vals)
cdef int bind_defaults(OperatorBase called, str name, tuple params, PyObject** defaults, PyObject** vals) except -1
