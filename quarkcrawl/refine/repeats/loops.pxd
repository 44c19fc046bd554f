cimport cython

ctypedef unsigned long long Hash

@cython.locals(ones=Hash, one_mixer=Hash, other_mixer=Hash)
cdef Hash _mix(Hash value) noexcept nogil

@cython.locals(ones=Hash, power=Hash)
cdef Hash _power(Hash base, Py_ssize_t n) noexcept nogil

@cython.locals(ones=Hash, base=Hash, leaving=Hash, value=Hash, code=Hash, place=Py_ssize_t)
cpdef void hash_grams(
    const unsigned int[::1] codes, Py_ssize_t n_gram, Hash[::1] hashes
) noexcept nogil

@cython.locals(
    n=Py_ssize_t, least=Hash, previous=Hash, least_place=Py_ssize_t, last=Py_ssize_t,
    window=Py_ssize_t, place=Py_ssize_t, stands_again=bint,
)
cpdef Py_ssize_t find_segments(
    const Hash[::1] hashes, Py_ssize_t n_windows, Py_ssize_t width,
    Hash[::1] keys, unsigned int[::1] starts, unsigned int[::1] counts, unsigned char[::1] repeats,
) noexcept nogil

@cython.locals(
    ones=Hash, base=Hash, leaving=Hash, value=Hash, n=Py_ssize_t, row=Py_ssize_t,
    first=Py_ssize_t, end=Py_ssize_t, place=Py_ssize_t, count=Py_ssize_t, code=Hash,
)
cpdef void hash_windows(
    const unsigned int[::1] codes, const Hash[::1] starts, const unsigned int[::1] counts,
    Py_ssize_t n_chars, Hash[::1] hashes, Hash[::1] places,
) noexcept nogil

@cython.locals(row=Py_ssize_t, place=Py_ssize_t, other=Py_ssize_t, n=Py_ssize_t, k=Py_ssize_t)
cpdef Py_ssize_t first_difference(
    const unsigned int[::1] codes, const Hash[::1] places, const Hash[::1] others,
    const Hash[::1] counts, Py_ssize_t n_more,
) noexcept nogil

@cython.locals(n=Py_ssize_t)
cpdef Py_ssize_t common_chars(
    const unsigned int[::1] codes, Py_ssize_t place, Py_ssize_t other, Py_ssize_t most
) noexcept nogil
