cimport cython

@cython.locals(node=Py_ssize_t, attrs=tuple, attr=tuple, key=str, value=str, names=set, types=set)
cpdef tuple naming_values(list all_attrs, const unsigned char[::1] is_read)
