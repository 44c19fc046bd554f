cimport cython

@cython.locals(node=Py_ssize_t, attrs=tuple, attr=tuple, key=str, value=str, names=set, types=set)
cpdef tuple naming_values(list all_attrs, const unsigned char[::1] is_read)

cpdef int bucket_of(int code, int behind, int mask) noexcept nogil

@cython.locals(
    n=Py_ssize_t, place=Py_ssize_t, code=int, behind=int, n_first_codes=int, piece=int, start=int,
    n_codes=int, n_same=int
)
cpdef void count_pieces(
    str text, const int[::1] codes, const int[::1] starts, const int[::1] first,
    const int[::1] following, int mask, int[::1] ends, int[::1] counts
) noexcept
