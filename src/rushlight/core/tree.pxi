# Included by tape.pyx: keys of calls, and the tree of known calls.

cdef class Exact:
    """A key of nested tuples that tells 1 from 1.0 and True, and 0.0 from -0.0; TypeError where one has no hash."""
    cdef object key
    cdef Py_hash_t said

    def __init__(self, key):
        self.key, self.said = key, hash(key)

    def __hash__(self):
        return self.said

    def __eq__(self, other):
        return isinstance(other, Exact) and (<Exact>other).said == self.said and same_key(self.key, (<Exact>other).key)


cdef bint same_key(a, b) except -1:
    cdef Py_ssize_t k
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        if len(a) != len(b):
            return False
        for k in range(len(a)):
            if not same_key(a[k], b[k]):
                return False
        return True
    if isinstance(a, float):
        return a.hex() == b.hex()
    return a == b


cdef class _Known:
    """A transition: a compiled call, or an operator that is ALIASED, and the numbers of its operands."""
    cdef Operator op
    cdef Entry entry
    cdef CompiledCall call
    cdef bytes slots
    cdef tuple numbers            # the positions among the arguments of the numbers that are passed
    cdef tuple fixed              # the call's numbers, if some of them are part of the call; else None
    cdef Place after


cdef tuple scalars_of(Flat* f):
    """The numbers of a call, by their kinds and bits."""
    return tuple([(f.scalars[i].kind, f.scalars[i].lo, f.scalars[i].hi) for i in range(f.n_scalars)])


cdef class Place:
    """A place in the tree: the calls on the way to it have been noted.

    Args:
        before: the place before its call, None at the root.
        call: the recorder's description of its call.
        kinds: those of the call's numbers.
        view: (number of the value that its results are views of, number of its call), None if they are no views.
    """
    cdef readonly Place before
    cdef readonly object call
    cdef readonly tuple kinds
    cdef readonly object view
    cdef readonly dict children   # by the recorder's keys of calls
    cdef readonly dict plans      # by the numbers of the values that are referred to
    cdef public frozenset kept    # numbers of values that the graph keeps for the backward of its call
    cdef public str label         # the name of its call's node; "" without one
    cdef readonly dict writes     # transitions by the operator, the numbers of its operands, and where it writes
    cdef list known
    cdef list count               # the number of places in the tree, shared by all of them

    def __init__(self, Place before=None, call=None, tuple kinds=(), view=None):
        self.before, self.call, self.kinds, self.view = before, call, kinds, view
        self.children, self.plans, self.writes, self.known, self.kept = {}, {}, {}, [], frozenset()
        self.label = ""
        self.count = [0] if before is None else before.count

    def child(self, key, call, tuple kinds, view):
        """The place after a call; if the tree is full, one that it does not keep."""
        cdef Place found
        found = self.children.get(key)
        if found is None:
            found = Place(self, call, kinds, view)
            if self.count[0] < MOST_PLACES:
                self.count[0] += 1
                self.children[key] = found
        return found

    def path(self):
        """The places from the first call to this one."""
        found = []
        cdef Place p = self
        while p.before is not None:
            found.append(p)
            p = p.before
        return found[::-1]
