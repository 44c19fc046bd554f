cimport cython

@cython.locals(
    row="Py_ssize_t", place="Py_ssize_t", end="Py_ssize_t", to="Py_ssize_t", done="Py_ssize_t",
    most="Py_ssize_t", n_texts="Py_ssize_t", lead="unsigned int", code="unsigned int",
    char="unsigned int", start="Py_ssize_t", stop="Py_ssize_t", one="Py_ssize_t",
)
cpdef Py_ssize_t fold_rows(
    const unsigned char[::1] source, const long long[::1] bounds, Py_ssize_t first,
    const unsigned int[::1] codes, unsigned int odd, const unsigned char[::1] pieces,
    const int[::1] piece_starts, unsigned char[::1] folded, long long[::1] ends,
) noexcept nogil
