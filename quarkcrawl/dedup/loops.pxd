cimport cython

ctypedef unsigned long long Hash
ctypedef unsigned int[16] Lanes

cdef unsigned int _WORD, _BORROWED, _A, _B, _C, _D
cdef Hash _GOLDEN, _MIXER, _LAST_MIXER, _EVERY_SECOND, _PAIRS, _HALF_BYTES, _BYTES

@cython.locals(mask="unsigned int")
cdef inline unsigned int _word(unsigned int value) noexcept nogil

@cython.locals(mask=Hash)
cdef inline Hash _long(Hash value) noexcept nogil

@cython.locals(first="unsigned int", second="unsigned int")
cdef inline void _connect(
    unsigned int[::1] parents, unsigned int one, unsigned int other
) noexcept nogil

cpdef void unite(
    unsigned int[::1] parents, const unsigned int[::1] firsts, const unsigned int[::1] others
) noexcept nogil

cpdef void flatten(unsigned int[::1] parents) noexcept nogil

@cython.locals(mixed=Hash)
cdef inline Hash _mix(Hash value) noexcept nogil

@cython.locals(mixed=Hash, unit=Hash, bin_hash="unsigned int")
cpdef void hash_grams(
    const unsigned int[::1] units, unsigned int[::1] bins, unsigned int[::1] full
) noexcept nogil

@cython.locals(mixed=Hash, least=Hash)
cpdef void hash_bands(
    const unsigned int[::1] bins, Py_ssize_t n_rows, Hash[::1] keys
) noexcept nogil

@cython.locals(mixed=Hash, unit=Hash)
cpdef void hash_picks(
    const unsigned int[:, :] codes, const long long[:, ::1] picks, Hash[:, ::1] keys
) noexcept nogil

cdef inline bint _is_han(unsigned int unit) noexcept nogil

@cython.locals(equal=Py_ssize_t)
cdef inline bint _is_known(
    const unsigned int[:, ::1] room, Py_ssize_t first, const unsigned int[:, ::1] codes,
    Py_ssize_t n_codes,
) noexcept nogil

@cython.locals(first=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t)
cdef inline Py_ssize_t _take(
    const unsigned int[:, ::1] room, Py_ssize_t n_han, Py_ssize_t n_stops, int step,
    unsigned int[:, ::1] codes,
) noexcept nogil

@cython.locals(n_han=Py_ssize_t, n_stops=Py_ssize_t)
cpdef (Py_ssize_t, Py_ssize_t, Py_ssize_t) find_codes(
    const unsigned int[::1] units, unsigned int[:, ::1] room, unsigned int[:, ::1] head,
    unsigned int[:, ::1] tail,
) noexcept nogil

cdef inline Py_ssize_t _after(const unsigned char[::1] data, Py_ssize_t at) noexcept nogil

@cython.locals(byte="unsigned int")
cdef inline void _load(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t stop, unsigned int* words,
    Py_ssize_t lane,
) noexcept nogil

@cython.locals(
    words="unsigned int[256]", a=Lanes, b=Lanes, c=Lanes, d=Lanes, mixed=Lanes,
    sums="unsigned long long[8]", start=Py_ssize_t, stop=Py_ssize_t, n_grams=Py_ssize_t,
    n_lanes=Py_ssize_t, is_last=bint, lane=int, bit=int, step=int, source=int, left=int,
    sine="unsigned int", total="unsigned int", digest=Hash,
)
cpdef Py_ssize_t sum_bits(
    const unsigned char[::1] data, const unsigned int[::1] sines, const unsigned int[::1] turns,
    long long[::1] counts,
) noexcept nogil

@cython.locals(bits=Hash)
cdef inline int _popcount(Hash word) noexcept nogil

cdef inline Py_ssize_t _band(Hash value, int start, int stop) noexcept nogil

@cython.locals(value=Hash)
cpdef void chain(
    const Hash[::1] values, Py_ssize_t first, const Hash[::1] cuts, long long[:, ::1] heads,
    long long[:, ::1] nexts,
) noexcept nogil

@cython.locals(value=Hash)
cpdef void sort_bands(
    const Hash[::1] values, const Hash[::1] cuts, long long[:, ::1] starts, long long[::1] ends,
    Hash[:, ::1] ordered, unsigned int[:, ::1] numbers,
) noexcept nogil

cdef bint _is_first(Hash differing, const Hash[::1] cuts, Py_ssize_t band) noexcept nogil

@cython.locals(differing=Hash, n_found=Py_ssize_t, number=Py_ssize_t)
cpdef Py_ssize_t find_near(
    Hash value, int k, const Hash[::1] cuts,
    const long long[:, ::1] starts, const Hash[:, ::1] ordered,
    const unsigned int[:, ::1] numbers, const Hash[::1] chained,
    const long long[:, ::1] heads, const long long[:, ::1] nexts, long long[::1] matches,
) noexcept nogil

@cython.locals(value=Hash, bits=Hash, some=int, start=Py_ssize_t, stop=Py_ssize_t, last=Py_ssize_t)
cpdef void link_near(
    const Hash[::1] keys, Hash[::1] values, int k, const unsigned char[::1] ones,
    unsigned int[::1] parents, unsigned int[::1] distinct,
) noexcept nogil
