cimport cython

ctypedef unsigned long long Hash

cdef int _SHIFT
cdef Hash _LONG, _MULTIPLIER, _MIXER

@cython.locals(token=Hash, value=Hash, depth=Py_ssize_t)
cpdef void hash_paths(
    const int[::1] tokens, int code_bits, Hash[::1] open_paths, Hash[::1] path_hashes
) noexcept nogil

@cython.locals(path=Hash, value=Hash)
cpdef void hash_windows(
    const Hash[::1] path_hashes, Py_ssize_t width, Hash[::1] window_hashes
) noexcept nogil

@cython.locals(
    root_a=Py_ssize_t, root_b=Py_ssize_t, first_a=Py_ssize_t, first_b=Py_ssize_t,
    a=Py_ssize_t, b=Py_ssize_t, least=int, changed=int, moved=int,
)
cpdef void fill_distances(
    const int[::1] codes_a, const int[::1] left_a, const int[::1] roots_a,
    const int[::1] codes_b, const int[::1] left_b, const int[::1] roots_b,
    int[:, ::1] trees, int[:, ::1] forest,
) noexcept nogil
