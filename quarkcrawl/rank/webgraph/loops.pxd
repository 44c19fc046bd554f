cimport cython
cimport libc.math as math

cdef unsigned long long word_at(
    const unsigned long long[::1] words, Py_ssize_t place
) noexcept nogil

@cython.locals(
    twos=cython.ulonglong, fours=cython.ulonglong, eights=cython.ulonglong,
    ones=cython.ulonglong, all_bits=cython.ulonglong,
)
cdef unsigned long long n_ones(unsigned long long bits) noexcept nogil

@cython.locals(bits=cython.ulonglong, t=Py_ssize_t, k=Py_ssize_t, moved=cython.bint)
cpdef bint reach(
    const long long[::1] in_ptr, const int[::1] incoming,
    const unsigned long long[::1] frontier, unsigned long long[::1] seen,
    unsigned long long[::1] fresh, double share, double[::1] sums,
    Py_ssize_t first, Py_ssize_t last,
) noexcept

@cython.locals(
    t=Py_ssize_t, k=Py_ssize_t, r=Py_ssize_t, place=Py_ssize_t, begin=Py_ssize_t,
    source=Py_ssize_t, have="unsigned char", other="unsigned char", is_moved=cython.bint,
    is_changed=cython.bint, any_changed=cython.bint,
)
cpdef bint grow(
    const long long[::1] in_ptr, const int[::1] incoming,
    const unsigned char[::1] old, unsigned char[::1] new, Py_ssize_t n_registers,
    const unsigned char[::1] moved, unsigned char[::1] changed,
    Py_ssize_t first, Py_ssize_t last,
) noexcept

@cython.locals(t=Py_ssize_t, k=Py_ssize_t, total=double, n_zero=Py_ssize_t, size=double)
cpdef void add_sizes(
    const unsigned char[::1] registers, Py_ssize_t n_registers,
    const unsigned char[::1] changed, const double[::1] powers, double scale,
    double[::1] sizes, double share, double[::1] sums, Py_ssize_t first, Py_ssize_t last,
)
