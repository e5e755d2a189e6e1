# Operators are called by vectorcall, for which Cython has no syntax: the functions, and what puts them into the types.
cdef PyObject* unfinished_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    raise RuntimeError("this operator was never initialised: Operator.__init__ has not run")


cdef PyObject* operator_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    result = (<Operator>op).call(<PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames, <OperatorBase>op)
    Py_INCREF(result)
    return <PyObject*>result


cdef PyObject* named_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    result = (<Named>op).op.call(<PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames, <OperatorBase>op)
    Py_INCREF(result)
    return <PyObject*>result


cdef PyObject* formed_vectorcall(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    result = call_formed(<Named>op, <PyObject**>args, PyVectorcall_NARGS(nargsf), kwnames)
    Py_INCREF(result)
    return <PyObject*>result


cdef void _install_vectorcall(type cls, Py_ssize_t offset, bint method) except *:
    # Cython has no syntax for vectorcall on a cdef class; the type is patched once, before any call is made.
    cdef PyTypeObject* t = <PyTypeObject*><PyObject*>cls
    t.tp_vectorcall_offset = offset
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    if method:
        t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR
    t.tp_call = PyVectorcall_Call
    PyType_Modified(cls)

cdef void _install_vectorcalls() except *:
    cdef Operator probe = Operator.__new__(Operator)
    cdef Named named = Named.__new__(Named)
    _install_vectorcall(Operator, <char*>&probe.vectorcall - <char*><PyObject*>probe, False)
    for cls in (Named, Method):
        _install_vectorcall(cls, <char*>&named.vectorcall - <char*><PyObject*>named, cls is Method)
