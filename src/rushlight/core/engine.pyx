"""The autograd engine: graph nodes, topological execution, accumulation into leaves, hooks."""
from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport INT64_MAX, int64_t
from collections import OrderedDict
from weakref import ref as weakref_ref
cimport cython

from rushlight.core.arrays cimport Arrays
from rushlight.core.base cimport UPCALLS, NodeWatch, OperatorBase, core_only
from rushlight.core.hooks cimport after_hooks, all_exchanged, exchanged
from rushlight.core.tensor cimport (
    KEY_LAYOUT, KEY_META, KEY_PENDING, KEY_SPECIAL, KEY_SUBCLASS, SLOT_ADD, SLOT_ADD_, SLOTS, AutogradMeta, State,
    Tensor, get_meta, history, settle, tls, version_of)

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject*)
cdef extern from *:
    """
    /* An object of a compiled class becomes one of a class made in Python that adds nothing to it. */
    static void rl_become(PyObject* o, PyObject* type) { Py_INCREF(type); Py_SET_TYPE(o, (PyTypeObject*)type); }
    static int rl_is_made(PyObject* o) { return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE); }
    """
    void rl_become(PyObject*, PyObject*)
    bint rl_is_made(PyObject*)

cdef int64_t _seq = 0
cdef int _anomaly = 0        # 1: forward tracebacks are kept; 2: and gradients are checked for nan

cdef int anomaly_enabled() noexcept:
    return _anomaly

def set_anomaly(int mode):
    """0 off, 1 keep forward tracebacks, 2 also check every gradient for nan; returns what it was."""
    global _anomaly
    old, _anomaly = _anomaly, mode
    return old

cdef NodeWatch _node_watch = None

def set_node_watch(NodeWatch watch):
    """Set the object that is called for each node that a backward runs, in whichever thread; None: none is."""
    global _node_watch
    _node_watch = watch

cdef int64_t next_seq() noexcept:
    global _seq
    _seq += 1
    return _seq

cdef int64_t last_seq() noexcept:
    return _seq


cdef class Node:
    """One recorded call: `edges` lead to the nodes of its inputs."""

    cdef list apply(self, list grads):
        raise NotImplementedError(self.label)

    cdef void release(self):
        pass

    cdef tuple places(self):
        return None

    cdef tuple visits(self):
        return None

    cdef list laid_out(self, list per_edge, object nothing):
        """Reorder items, one per edge, to the order of `next_functions`."""
        cdef tuple places = self.places()
        return per_edge if places is None else [nothing if i < 0 else per_edge[i] for i in places]

    cdef list per_edge(self, list laid_out):
        """The reverse of `laid_out`."""
        cdef tuple places = self.places()
        cdef list found = laid_out
        if places is not None:
            found = [None] * len(self.edges)
            for i, value in zip(places, laid_out):
                if i >= 0:
                    found[i] = value
        return found

    def __call__(self, *grads):
        """Apply the node to cotangents of its outputs; returns the cotangents of its inputs, as `next_functions` has
        them.
        """
        out = self.laid_out(self.cotangents(grads), None)
        return out[0] if len(out) == 1 else tuple(out)

    def cotangents(self, tuple grads not None):
        """The cotangents of the inputs, one for each of `edges`, for those of the outputs."""
        if len(grads) != self.n_outputs:
            raise TypeError(
                f"{self.label}(): takes {self.n_outputs} gradients, one for each output of the call; found "
                f"{len(grads)}")
        for i, g in enumerate(grads):
            if g is not None and not isinstance(g, Tensor):
                raise TypeError(f"{self.label}(): gradient {i} must be a Tensor or None, not {type(g).__name__}")
        return self.apply(list(grads))

    def name(self):
        """The name that PyTorch would print for this kind of node."""
        return self.label

    def __repr__(self):
        return f"<{self.label.rpartition('::')[2]} object at {hex(<size_t><PyObject*>self)}>"

    def __getattr__(self, str name):
        if name.startswith(("_saved_", "_raw_saved_")):
            return UPCALLS.saved_value(self, name)
        raise AttributeError(f"'{type(shown(self)).__name__}' object has no attribute '{name}'")

    def __dir__(self):
        return [*object.__dir__(self), *UPCALLS.saved_names(self)]

    @property
    def next_functions(self):
        return tuple([
            (accumulator_of(e[0]) if isinstance(e[0], Tensor) else shown(e[0]), e[1])
            for e in self.laid_out(self.edges, _NO_EDGE)])

    @property
    def requires_grad(self):
        return True

    @property
    def metadata(self):
        if self.metadata_ is None:
            self.metadata_ = {}
        return self.metadata_

    @property
    def _input_metadata(self):
        """For each result of the call, what its gradient must have: shape, dtype, device."""
        return UPCALLS.input_metadata(self)

    def _sequence_nr(self):
        return self.seq

    def _set_sequence_nr(self, int64_t value):
        self.seq = value

    def register_hook(self, fn):
        """Call `fn(grad_inputs, grad_outputs)` after the node; a tuple replaces grad_inputs. Returns a handle."""
        if self.node_hooks is None:
            self.node_hooks = OrderedDict()
        return UPCALLS.removable_handle(self.node_hooks, fn)

    def register_prehook(self, fn):
        """Call `fn(grad_outputs)` before the node; a tuple replaces grad_outputs. Returns a handle."""
        if self.node_prehooks is None:
            self.node_prehooks = OrderedDict()
        return UPCALLS.removable_handle(self.node_prehooks, fn)


cdef dict _classes = {}         # (class, label) -> its subclass of that name

cdef object shown(object node):
    """A node as Python sees it, of a class with the name of its kind: the class is made, and assigned to the node, when
    a program first looks.
    """
    if node is None or rl_is_made(<PyObject*>node):
        return node
    cls = type(node)
    label = (<Node?>node).label
    made = _classes.get((cls, label))
    if made is None:
        made = _classes[cls, label] = type(
            label.rpartition("::")[2], (cls,), {"__slots__": (), "__module__": "builtins", "__doc__": None})
    rl_become(<PyObject*>node, <PyObject*>made)
    return node

def shown_node(node):
    """`shown` for Python."""
    return shown(node)


cdef object sum_of(Tensor a, Tensor b, bint inplace=False):
    """The sum of two cotangents; that of a sparse and a dense one is dense, and the operator takes the dense one first.
    """
    cdef OperatorBase add = <OperatorBase>SLOTS[SLOT_ADD_ if inplace else SLOT_ADD]
    try:
        return add.call2(b, a) if a.keys & ~b.keys & KEY_LAYOUT else add.call2(a, b)
    except NotImplementedError as error:  # the error is about a dtype, and the program has not called add()
        raise NotImplementedError(f"backward(): gradients that meet at one tensor are added: {error}") from None


cdef inline bint waits(Tensor g) noexcept:
    """Whether `g` is the pending result of a recorded call, which has no memory yet."""
    return g.keys == KEY_PENDING and g.storage is None


cdef int accumulate(Tensor v, list grads, bint hooked=True) except -1:
    """Add the cotangent grads[0] to the leaf's `.grad`. hooked: whether hooks have seen it, and may have replaced it.
    """
    cdef Tensor g = grads[0]
    cdef AutogradMeta m = get_meta(v)
    cdef bint graph = tls().grad_enabled != 0
    if g is None or not v.rg:            # after detach_() the leaf takes no gradient any more
        return 0
    if m.grad is None:
        # Only the list of cotangents and our local name refer to it (and no hook has kept it): we may keep the memory.
        grads[0] = None
        if (not graph and (g.keys | v.keys) & KEY_SPECIAL == 0 and not g.rg and Py_REFCNT(<PyObject*>g) <= 2 - hooked
                and g.contiguous_ and g.meta is None and g.storage is not None
                and Py_REFCNT(<PyObject*>g.storage) == 1 and g.storage.owner is None and v.contiguous_):
            m.grad = g
        elif (not graph and not hooked and waits(g) and not v.keys and Py_REFCNT(<PyObject*>g) <= 2
                and g.contiguous_ and v.contiguous_):
            m.grad = g                   # the tape refers to it, too: it gets memory of its own
        elif graph:
            m.grad = UPCALLS.clone_grad(g, v)
        else:
            m.grad = UPCALLS.clone_grad(g.detach(), v)
    else:
        fresh = graph or ((<Tensor>m.grad).keys ^ g.keys) & KEY_LAYOUT and not g.keys & KEY_LAYOUT
        m.grad = sum_of(m.grad, g, not fresh)
    if m.post_hooks is not None:
        for hook in list(m.post_hooks.values()):
            found = hook(v)
            if found is not None and found is not v:        # the call that writes to the leaf restores it
                raise (RuntimeError if isinstance(found, Tensor) else TypeError)(
                    f"register_post_accumulate_grad_hook(): the hook {hook!r} must return None; found "
                    f"{type(found).__name__}")
    return 0


cdef class AccumulateGrad(Node):
    """The node of a leaf, for programs that walk the graph: edges refer to the leaf itself, and this is made on demand.
    """

    cdef list apply(self, list grads):
        if grads[0] is not None:
            accumulate(self.variable, [after_hooks(self.variable.meta, <Tensor>grads[0])])
        return []


def accumulator_of(Tensor t not None):
    """The AccumulateGrad node of a leaf, the same object as long as someone holds it."""
    cdef AutogradMeta m = get_meta(t)
    if m.accumulator is not None:
        node = m.accumulator()
        if node is not None:
            return node
    cdef AccumulateGrad a = AccumulateGrad.__new__(AccumulateGrad)
    a.variable, a.edges, a.n_outputs, a.label = t, [], 1, "torch::autograd::AccumulateGrad"
    a.seq = <int64_t>1 << 62
    m.accumulator = weakref_ref(a)
    return shown(a)


cdef class CallbackNode(Node):
    """A node whose derivative is a Python function from a list of cotangents to a list of cotangents."""

    def __init__(self, str label, function, list edges, int n_outputs=1):
        self.label, self.function, self.edges, self.n_outputs = label, function, edges, n_outputs
        self.seq = next_seq()
        if _anomaly:
            UPCALLS.note_traceback(self)

    cdef list apply(self, list grads):
        cdef list out
        if self.function is None:
            raise_freed()
        out = self.function(grads)
        if len(out) != len(self.edges):
            raise RuntimeError(f"{self.label}: must give {len(self.edges)} gradients; found {len(out)}")
        for g in out:
            if g is not None and not isinstance(g, Tensor):
                raise TypeError(f"{self.label}: must give Tensors or None as gradients; found {type(g).__name__}")
        return out

    cdef void release(self):
        # Most functions keep no tensor, and may run again; one that does keep tensors says so here, and forgets them.
        if hasattr(self.function, "release"):
            self.function.release()


include "let_go.pxi"


def raise_freed():
    raise RuntimeError("backward(): cannot go backward through the graph a second time: the tensors that it kept were "
        "freed the first time; give retain_graph=True to every call but the last")


cdef object gradient_edge(Tensor t):
    """(node or leaf tensor, output number) that receives the cotangent of `t`, or (None, 0)."""
    settle(t)
    cdef AutogradMeta m = t.meta
    cdef object node = t.grad_fn_ if m is None or m.base is None else history(t)
    if node is not None:
        return (node, t.output_nr)
    if not t.rg:
        return _NO_EDGE
    return (t, 0)

cdef tuple _NO_EDGE = (None, 0)

def edge_of(Tensor t not None):
    """(node, output number) of a tensor's place in the graph, (the tensor, 0) for a leaf; (None, 0) if it has none.
    """
    return gradient_edge(t)

def set_history(Tensor t not None, node, int nr):
    """Make `t` output number `nr` of `node`."""
    settle(t)
    cdef Node old = <Node>t.grad_fn_ if isinstance(t.grad_fn_, Node) else None
    if node is not None and not isinstance(node, Node):
        raise TypeError(f"set_history(): 'node' must be a Node, not {type(node).__name__}")
    if node is not None and t.meta is not None and t.meta.retains_grad and old is not None and old.retain is not None:
        # retain_grad() concerns the tensor, whatever is written to it; hooks concern the value that it had.
        kept = old.retain.pop(t.output_nr, None)
        if kept is not None:
            if (<Node>node).retain is None:
                (<Node>node).retain = {}
            (<Node>node).retain[nr] = kept
    t.grad_fn_, t.output_nr, t.rg = node, nr, True
    if t.meta is not None and t.meta.base is not None:
        t.meta.view_version = version_of(t)


def cut_history(Tensor t not None):
    """Make `t` a leaf that requires no gradient."""
    settle(t)
    t.grad_fn_, t.output_nr, t.rg = None, 0, False


# A reference cycle through its gradients exists only during the run, which breaks it at its end (`_Run.part`).
@cython.no_gc
@cython.freelist(64)
cdef class _Task:
    pass


cdef int64_t _n_runs = 0

cdef class _Run:
    cdef int64_t id
    cdef unsigned long thread
    cdef list order          # the nodes and leaves met
    cdef dict others         # the tasks of nodes that another run holds already, of a hook or of another thread
    cdef dict captures       # (node, nr) -> index into results
    cdef list results
    cdef bint keep, selective
    cdef bint accumulating   # only some leaves are wanted, and their gradients go to .grad

    def __cinit__(self):
        global _n_runs
        _n_runs += 1
        self.id, self.order, self.thread = _n_runs, [], PyThread_get_thread_ident()

    cdef _Task task_of(self, object n):
        """The task of a node or a leaf; None if this run has not met it."""
        cdef _Task task
        cdef AutogradMeta m
        if isinstance(n, Node):
            task = (<Node>n).task
        else:
            m = (<Tensor>n).meta
            task = None if m is None else <_Task>m.task
        if task is not None and task.run == self.id:
            return task
        return None if self.others is None else self.others.get(n)

    cdef _Task meet(self, object n):
        """Make a task for a node or a leaf that has none."""
        cdef _Task task = _Task.__new__(_Task)
        cdef AutogradMeta m
        task.run, task.place = self.id, len(self.order)
        self.order.append(n)
        if isinstance(n, Node):
            if (<Node>n).task is None:
                (<Node>n).task = task
                return task
        else:
            m = get_meta(<Tensor>n)
            if m.task is None:
                m.task = task
                return task
        if self.others is None:
            self.others = {}
        self.others[n] = task
        return task

    cdef void capture(self, Node node, list grads) except *:
        """Keep those cotangents of a node that the caller has asked for."""
        for nr in range(len(grads)):
            wanted = self.captures.get((node, nr))
            if wanted is not None:
                for i in wanted:
                    self.results[i] = grads[nr]

    cdef void part(self) noexcept:
        """Free the tasks: the run is over."""
        cdef AutogradMeta m
        for n in self.order:
            if isinstance(n, Node):
                if (<Node>n).task is not None and (<Node>n).task.run == self.id:
                    (<Node>n).task = None
            else:
                m = (<Tensor>n).meta
                if m is not None and m.task is not None and (<_Task>m.task).run == self.id:
                    m.task = None

    cdef void count(self, list roots) except *:
        """Visit the graph once, and count the cotangents that each node waits for."""
        cdef _Task task
        cdef tuple e
        cdef Py_ssize_t i = 0
        for n in roots:
            if self.task_of(n) is None:
                self.meet(n)
        while i < len(self.order):
            n = self.order[i]
            i += 1
            if not isinstance(n, Node):
                continue
            if isinstance(n, LetGoNode):
                (<LetGoNode>n).opened()
            for e in (<Node>n).edges:
                n = e[0]
                if n is not None:
                    task = self.task_of(n)
                    if task is None:
                        task = self.meet(n)
                    task.waiting += 1

    cdef void mark(self) except *:
        """Find the nodes that need to run for `inputs`: those from which a wanted edge can be reached.

        The reversed edges are in plain memory: a list and a tuple for each would trigger the garbage collector, which
            walks the program's whole heap.
        """
        cdef _Task task
        cdef tuple e
        cdef Node node
        cdef Py_ssize_t n = len(self.order), m = 0, i, at, top = 0
        for parent in self.order:
            if isinstance(parent, Node):
                m += len((<Node>parent).edges)
        # For each node or leaf its first incoming edge; for each edge the next one into the same place, its parent, and
        # the output that it belongs to; then the stack.
        cdef Arrays memory = Arrays.__new__(Arrays)
        cdef int64_t* first = <int64_t*>memory.room((2 * n + 3 * m) * sizeof(int64_t))
        cdef int64_t* following = first + n
        cdef int64_t* parents = following + m
        cdef int64_t* numbers = parents + m
        cdef int64_t* stack = numbers + m
        for i in range(n):
            first[i] = -1
        m = 0
        for i in range(n):
            if isinstance(self.order[i], Node):
                node = <Node>self.order[i]
                for e in node.edges:
                    if e[0] is not None:
                        at = self.task_of(e[0]).place
                        following[m], parents[m], numbers[m] = first[at], i, e[1]
                        first[at] = m
                        m += 1
        for (wanted, nr) in self.captures:
            task = self.task_of(wanted)
            if task is None:
                continue
            task.captured = True
            if self.accumulating and isinstance(wanted, Node):
                top = self.need(task.place, stack, top)
            m = first[task.place]
            while m >= 0:
                if numbers[m] == nr:
                    top = self.need(parents[m], stack, top)
                m = following[m]
        while top:
            top -= 1
            m = first[stack[top]]
            while m >= 0:
                top = self.need(parents[m], stack, top)
                m = following[m]

    cdef Py_ssize_t need(self, int64_t place, int64_t* stack, Py_ssize_t top) except -1:
        """Mark the node or leaf at an index as needed, and push it unless it was marked before; returns the height of
        the stack.
        """
        cdef _Task task = self.task_of(self.order[place])
        if not task.needed:
            task.needed = True
            stack[top] = place
            top += 1
        return top


cdef list _running = []          # of all threads, in the order in which they began

cdef _Run running_here():
    """The innermost run of this thread, None outside of one."""
    cdef unsigned long here = PyThread_get_thread_ident()
    for run in reversed(_running):
        if (<_Run>run).thread == here:
            return run
    return None

def current_run():
    """The number of the run of the engine that this thread is in, -1 outside of one."""
    cdef _Run run = running_here()
    return -1 if run is None else run.id

def will_execute(Tensor t not None):
    """Whether the current run of this thread computes the gradient of a tensor.

    Raises:
        RuntimeError: the thread is in no run, or the tensor is a leaf in a run that returns gradients, where it cannot
            be known.
    """
    cdef _Run run = running_here()
    cdef _Task task
    if run is None:
        raise RuntimeError("will_execute(): must be asked while a backward is under way")
    node = gradient_edge(t)[0]
    task = None if node is None else run.task_of(node)
    if not isinstance(node, Node) and run.selective and not run.accumulating:
        raise RuntimeError(
            "register_multi_grad_hook(): within autograd.grad() it is known of results which of their gradients are "
            "computed, and not of leaves; found a leaf; use backward(inputs=), or hooks on "
            "results")
    if task is None:
        return False
    if not isinstance(node, Node):
        return not run.selective or (node, 0) in run.captures
    return not run.selective or task.needed or task.captured


cdef inline int64_t _rank(object n):
    """The priority, the highest of which runs first: the newest call, and leaves before all calls, which frees their
    cotangents.
    """
    return (<Node>n).seq if isinstance(n, Node) else INT64_MAX

cdef void _rise(list ready, Py_ssize_t at, object n) except *:
    """Put `n` where it belongs in a heap with a gap at `at`, or above that."""
    cdef int64_t rank = _rank(n)
    while at and _rank(ready[(at - 1) >> 1]) < rank:
        ready[at] = ready[(at - 1) >> 1]
        at = (at - 1) >> 1
    ready[at] = n

cdef object _first(list ready, Py_ssize_t n):
    """Take the first of the `n` tasks in a heap. Among equal ones (the leaves of a call) that is the same one as in
    PyTorch, whose queue is a `std::priority_queue` of C++: the gap is moved down to the end before the last task fills
    it.
    """
    cdef Py_ssize_t at = 0, child = 2
    found = ready[0]
    n -= 1
    last = ready[n]
    while child < n:
        if _rank(ready[child]) < _rank(ready[child - 1]):
            child -= 1
        ready[at] = ready[child]
        at, child = child, 2 * child + 2
    if child == n:
        ready[at] = ready[n - 1]
        at = n - 1
    ready[n] = None
    if n:
        _rise(ready, at, last)
    return found


cdef void _give(_Run run, object node, int nr, Tensor g) except *:
    cdef _Task task = run.task_of(node)
    if task.grads is None:
        task.grads = [None] * (<Node>node).n_outputs if isinstance(node, Node) else [None]
    have = task.grads[nr]
    task.grads[nr] = g if have is None else sum_of(have, g)


def run_backward(
        list tensors, list grads, bint keep_graph, bint create_graph, inputs=None, bint accumulate=True,
        list order=None):
    """Run the graph from `tensors` with cotangents `grads`; with `inputs`, return their cotangents (None where unused).

    Args:
        tensors: results.
        grads: a cotangent for each; the list is emptied.
        keep_graph: whether the nodes may run again.
        create_graph: whether the backward itself is recorded.
        inputs: tensors, None for all leaves.
        accumulate: with inputs, whether cotangents are added to the .grad of those that are leaves, and retained by the
            others, instead of being returned.
        order: for each of `tensors` that is a leaf the place in the order of calls of the newest node that comes after
            it; those of leaves that follow one another must fall. Without it, leaves come before all nodes.
    """
    cdef _Run run = _Run.__new__(_Run)
    # the heap is the first n_ready of `ready`: a list that shrinks and grows would cost a reallocation per node
    cdef list roots = [], ready = []
    cdef Node node
    cdef object child
    cdef _Task task
    cdef Tensor g
    cdef tuple e, visits
    cdef Py_ssize_t i, k, n_ready = 0, n_early = 0
    cdef list early = []             # leaves that nodes may come before, with their `order`
    cdef list out
    cdef State* state = tls()
    cdef int before = state.grad_enabled
    run.keep = keep_graph
    run.selective = inputs is not None
    run.accumulating = run.selective and accumulate
    pending = []
    for t, g in zip(tensors, grads):
        e = gradient_edge(t)
        if e[0] is None:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        pending.append((e, g))
        roots.append(e[0])
    if run.selective:
        run.captures, run.results = {}, [None] * len(inputs)
        for i, t in enumerate(inputs):
            e = gradient_edge(t)
            if e[0] is not None:
                run.captures.setdefault(e, []).append(i)
    _running.append(run)
    try:
        run.count(roots)
        if run.selective:
            run.mark()
            if len(roots) == 1:          # at the roots of a run hooks are called whatever is wanted
                run.task_of(roots[0]).captured = True
        state.grad_enabled = create_graph
        for e, g in pending:
            _give(run, e[0], e[1], g)
        g = pending = None           # (A leaf may keep the memory of a cotangent that nobody else refers to.)
        grads.clear()
        seen = set()
        for i, n in enumerate(roots):
            task = run.task_of(n)
            if n in seen or task.waiting:
                continue
            seen.add(n)
            if isinstance(n, Node):
                ready.append(n)
                _rise(ready, n_ready, n)
                n_ready += 1
            elif order is not None:
                early.append((n, order[i]))
            else:
                _run_leaf(run, <Tensor>n, task)
        while n_ready or n_early < len(early):
            if n_early < len(early) and (not n_ready or _rank(ready[0]) <= <int64_t>(<tuple>early[n_early])[1]):
                child = (<tuple>early[n_early])[0]
                n_early += 1
                _run_leaf(run, <Tensor>child, run.task_of(child))
                continue
            child = _first(ready, n_ready)
            n_ready -= 1
            task = run.task_of(child)
            if not isinstance(child, Node):
                _run_leaf(run, <Tensor>child, task)
                continue
            node = <Node>child
            out = _run_node(run, node, task)
            visits = node.visits()
            for k in range(len(node.edges)):
                i = k if visits is None else <Py_ssize_t>visits[k]
                e = <tuple>node.edges[i]
                child = e[0]
                if child is not None:
                    if out is not None and out[i] is not None:
                        _give(run, child, e[1], <Tensor>out[i])
                    task = run.task_of(child)
                    task.waiting -= 1
                    if task.waiting == 0:
                        if n_ready == len(ready):
                            ready.append(None)
                        _rise(ready, n_ready, child)
                        n_ready += 1
            out = None
    finally:
        state.grad_enabled = before
        run.part()
        for i in range(len(_running) - 1, -1, -1):
            if _running[i] is run:
                del _running[i]
                break
    return run.results if run.selective and not accumulate else None


cdef void _run_leaf(_Run run, Tensor leaf, _Task task) except *:
    """Deliver the complete cotangent of a leaf: to `.grad`, or to the caller that wants it."""
    cdef list grads = task.grads
    cdef AutogradMeta m
    cdef AccumulateGrad node = None
    cdef bint hooked
    task.grads = None
    if grads is None:
        return
    m = leaf.meta
    if not leaf.keys and (<Tensor>grads[0]).keys & KEY_META and not (<Tensor>grads[0]).keys & KEY_SUBCLASS:
        raise NotImplementedError(
            "backward(): Cannot copy out of meta tensor; no data! The leaf has memory, and its gradient is on the "
            "device 'meta'")
    if m is not None and m.grad_dtype and (<Tensor>grads[0]).dtype is not m.grad_dtype:
        grads[0] = UPCALLS.cast(grads[0], m.grad_dtype)
    if run.selective:
        wanted = run.captures.get((leaf, 0))
        if wanted is None:
            if task.captured:
                after_hooks(leaf.meta, <Tensor>grads[0])
            return
        if not run.accumulating:
            g = after_hooks(leaf.meta, <Tensor>grads[0])
            for i in wanted:
                run.results[i] = g
            return
    if m is not None and m.hooks is not None:
        grads[0] = after_hooks(m, <Tensor>grads[0])
    if m is not None and m.accumulator is not None:
        node = m.accumulator()
    if node is not None and node.node_prehooks:
        for hook in list(node.node_prehooks.values()):
            grads = all_exchanged(hook, grads, hook(tuple(grads)))
    given = tuple(grads) if node is not None and node.node_hooks else None
    hooked = node is not None or (m is not None and m.hooks is not None)
    accumulate(leaf, grads, hooked)
    if given is not None:
        for hook in list(node.node_hooks.values()):
            all_exchanged(hook, [], hook((), given))


cdef list _run_node(_Run run, Node node, _Task task):
    """Run hooks and captures, then the node itself; None if there is nothing to pass on."""
    cdef list grads = task.grads
    cdef list out
    task.grads = None
    if run.selective and not task.needed and not task.captured:
        return None
    if grads is None:
        if not run.keep and (task.needed or not run.selective):
            node.release()
        return None
    capturing = run.selective and task.captured and not run.accumulating
    # As in PyTorch, a cotangent that is also passed on is captured before its tensor's hooks, one that ends here after
    # them.
    if capturing and task.needed:
        run.capture(node, grads)
    if node.pre_hooks is not None:
        for nr, hooks in node.pre_hooks.items():
            if grads[nr] is not None:
                for hook in list(hooks.values() if isinstance(hooks, dict) else hooks):
                    grads[nr] = exchanged(hook, <Tensor>grads[nr], hook(grads[nr]))
    if node.retain is not None:
        for nr, t in node.retain.items():
            target = t()
            if target is not None and grads[nr] is not None:
                if target.grad is not None:
                    get_meta(target).grad = sum_of(target.grad, grads[nr])
                else:                        # memory of its own: the cotangent may be the caller's, or part of another
                    found = grads[nr] if tls().grad_enabled else (<Tensor>grads[nr]).detach()
                    get_meta(target).grad = UPCALLS.clone_grad(found, target)
    if run.selective and not task.needed:
        if capturing:
            run.capture(node, grads)
        return None
    if node.node_prehooks:
        for hook in list(node.node_prehooks.values()):
            grads = all_exchanged(hook, grads, hook(tuple(grads)))
    given = tuple(grads) if node.node_hooks else None
    cdef NodeWatch watch = _node_watch
    if watch is not None:
        watch.node_begins(node, grads)
    if _anomaly:
        try:
            out = node.apply(grads)
            if _anomaly == 2:
                UPCALLS.check_nan(node, out)
        except Exception:
            UPCALLS.show_traceback(node)
            raise
    else:
        node.once = not run.keep and not node.node_hooks
        out = node.apply(grads)
    if watch is not None:
        watch.node_ends(grads, out)
    if node.node_hooks:
        out = node.laid_out(out, None)
        for hook in list(node.node_hooks.values()):
            out = all_exchanged(hook, out, hook(tuple(out), given))
        out = node.per_edge(out)
    if not run.keep:
        node.release()
    return out

# a subclass in another module (PlanNode) calls the function in the slot of Node
for _class in (AccumulateGrad, _Task, _Run):
    core_only(_class)
