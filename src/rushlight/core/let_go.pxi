# Included by engine.pyx: nodes of graphs that are let go before anybody has made them.

cdef class LetGoNode(Node):
    """A node of a graph that was run and let go before anybody has made it. It is made when somebody looks, or a run
    comes to it: a node that has kept nothing may run again.

    Args:
        label: the kind's name.
        n_outputs: how many results the call has.
        seq: its place in the order of calls.
        graph: has a function `open`, which lets the node stand for what it is.
    """

    def __init__(self, str label not None, int n_outputs, int64_t seq, graph not None):
        self.label, self.n_outputs, self.seq, self.graph, self.edges = label, n_outputs, seq, graph, []

    def stand_for(self, Node node not None):
        """Be this node, which was let go, from now on."""
        if node.n_outputs != self.n_outputs:
            raise RuntimeError(f"{self.label}: a call of {self.n_outputs} results; found a node of {node.n_outputs}")
        self.edges, self.stood_for = node.edges, node

    cdef Node opened(self):
        if self.stood_for is None:
            self.graph.open()
            if self.stood_for is None:
                raise RuntimeError(f"{self.label}: nobody knows what the node stands for")
            self.graph = None
        return self.stood_for

    cdef list apply(self, list grads):
        return self.opened().apply(grads)

    cdef void release(self):
        if self.stood_for is not None:
            self.stood_for.release()

    cdef tuple places(self):
        return self.opened().places()

    cdef tuple visits(self):
        return self.opened().visits()

    @property
    def next_functions(self):
        return self.opened().next_functions

    @property
    def _input_metadata(self):
        return self.opened()._input_metadata

    def __getattr__(self, str name):
        return getattr(self.opened(), name)

    def __dir__(self):
        return dir(self.opened())


def edges_behind(Node node not None):
    """The edges of a node, also of one that nobody has made yet."""
    if isinstance(node, LetGoNode):
        (<LetGoNode>node).opened()
    return node.edges


def places_in_order(int64_t n):
    """The first of n places in the order of calls, which belong to nobody else."""
    global _seq
    cdef int64_t first = _seq + 1
    _seq += n
    return first


def let_go(list nodes not None):
    """Let nodes go of what they keep, as a run does that keeps no graph."""
    for node in nodes:
        (<Node?>node).release()
