cimport cython

ctypedef unsigned long long Hash

@cython.locals(ones=Hash, one_mixer=Hash, other_mixer=Hash)
cdef Hash _mix(Hash value) noexcept nogil

@cython.locals(
    ones=Hash, base=Hash, value=Hash, number=Hash, n=Py_ssize_t, n_out=Py_ssize_t, inside=bint,
    place=Py_ssize_t, code="unsigned int", begin=Py_ssize_t, count=Py_ssize_t, k=Py_ssize_t,
    kind="unsigned char", part="unsigned int",
)
cpdef Py_ssize_t find_units(
    const unsigned int[::1] codes, const unsigned int[::1] first,
    const unsigned char[::1] n_folded, const unsigned int[::1] pool,
    const unsigned char[::1] kinds, unsigned int[::1] folded, long long[::1] places,
    long long[::1] starts, long long[::1] ends, Hash[::1] hashes, unsigned char[::1] is_word,
) noexcept nogil

@cython.locals(
    ones=Hash, base=Hash, backward=Hash, value=Hash, leaving=Hash, entering=Hash, number=Hash,
    n_units=Py_ssize_t, weight=Py_ssize_t, end=Py_ssize_t, start=Py_ssize_t,
)
cpdef Py_ssize_t hash_grams(
    const Hash[::1] hashes, const unsigned char[::1] is_word, Py_ssize_t word_weight,
    Py_ssize_t char_weight, Py_ssize_t least_weight, Hash[::1] grams, long long[::1] ends,
) noexcept nogil

@cython.locals(last=Hash, gram=Hash, place=Hash, row=Py_ssize_t)
cpdef void put(const Hash[::1] grams, Hash[::1] slots) noexcept nogil

@cython.locals(last=Hash, gram=Hash, place=Hash, row=Py_ssize_t, n=Py_ssize_t)
cpdef Py_ssize_t find_known(
    const Hash[::1] grams, const Hash[::1] slots, long long[::1] rows
) noexcept nogil

@cython.locals(n=Py_ssize_t)
cpdef Py_ssize_t common_codes(
    const unsigned int[::1] codes, Py_ssize_t place,
    const unsigned int[::1] others, Py_ssize_t other, Py_ssize_t most,
) noexcept nogil
