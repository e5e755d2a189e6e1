from libc.stdint cimport int64_t
from rushlight.core.tensor cimport Tensor

cdef class _Task:
    """The state of a node or a leaf in one run of the engine."""
    cdef int64_t run                  # the number of its run
    cdef int64_t place                # its number in the order in which that run has met nodes and leaves
    cdef int waiting                  # how many cotangents are still to come
    cdef bint needed
    cdef bint captured                # whether one of its cotangents is wanted
    cdef list grads

cdef class Node:
    cdef _Task task                    # in the run that met the node first and is not over
    cdef public list edges            # [(Node, leaf tensor or None, output_nr)], one per differentiable input
    cdef public int64_t seq           # order of creation: the engine runs the newest first
    cdef public int n_outputs         # how many outputs of the forward call this node has (its own number of inputs)
    cdef public str label
    cdef public dict pre_hooks        # tensor hooks by output number
    cdef public object node_hooks     # hooks and prehooks registered on the node
    cdef public object node_prehooks
    cdef public object retain          # {output_nr: weakref to tensor} for retain_grad
    cdef public object metadata_
    cdef bint once                    # the current run is its last, and nothing uses it afterwards
    cdef object __weakref__
    cdef list apply(self, list grads)      # cotangent per forward output (None: zero) -> per edge
    cdef void release(self)
    # the edge at each place of `next_functions`, -1 for one that leads nowhere; None: the same order
    cdef tuple places(self)
    cdef tuple visits(self)            # the edges in the order in which the engine visits them; None: the same order
    cdef list laid_out(self, list per_edge, object nothing)
    cdef list per_edge(self, list laid_out)

cdef class AccumulateGrad(Node):
    cdef public Tensor variable

cdef class CallbackNode(Node):
    cdef public object function
    # of a call without a program: its arguments by PyTorch's names for them, and its results' (shape, dtype, device)
    cdef public object about

cdef class LetGoNode(Node):
    cdef object graph                 # whose `open` says what it stands for, None once that is known
    cdef Node stood_for
    cdef Node opened(self)

cdef int anomaly_enabled() noexcept
cdef object gradient_edge(Tensor t)
cdef int64_t next_seq() noexcept
cdef int64_t last_seq() noexcept
