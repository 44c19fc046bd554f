cimport cython

@cython.final
cdef class Events:
    cdef readonly list tags, attrs, runs, links
    cdef public str unclosed
    cdef dict _ids
    cdef object _tags_kept, _marks_kept
    cdef short[::1] _tag
    cdef int[::1] _marks
    cdef Py_ssize_t _n_nodes, _n_marks, _depth
    cdef int _last_id, _anchor

    @cython.locals(number=int, name=str)
    cpdef start_element(self, str tag, tuple attrs)

    cpdef end_element(self, str _tag)

    cpdef close(self)

    cdef int _mark(self, int value) except -1

@cython.locals(
    n_tags=Py_ssize_t, n_bytes=Py_ssize_t, n_roots=Py_ssize_t, n_foreign=Py_ssize_t,
    n_templates=Py_ssize_t, link_bytes=Py_ssize_t, n_read=Py_ssize_t, cost=Py_ssize_t,
    chars=Py_ssize_t,
    n=Py_ssize_t, last=Py_ssize_t, place=Py_ssize_t, end=Py_ssize_t, letter=Py_UCS4,
    second=Py_UCS4, name=str, longest=Py_ssize_t, most_read=Py_ssize_t, formatting=frozenset,
    is_link=bint,
)
cpdef tuple count_tags(str html)

@cython.locals(n=Py_ssize_t, place=Py_ssize_t, n_attrs=Py_ssize_t, chars=Py_ssize_t)
cpdef tuple tag_size(str html, Py_ssize_t start)

@cython.locals(n=Py_ssize_t, place=Py_ssize_t, end=Py_ssize_t)
cdef Py_ssize_t _attribute_end(str html, Py_ssize_t start) except -1
