cimport cython

@cython.locals(above=int)
cpdef int keep_elements(
    const signed char[::1] actions, const unsigned char[::1] opaque, const int[::1] parent,
    const int[::1] end, int[::1] owner, int[:, ::1] elements,
) noexcept nogil

@cython.locals(
    multiplier=cython.ulonglong, mixer=cython.ulonglong, ones=cython.ulonglong,
    value=cython.ulonglong, below=cython.ulonglong, before=int, child=int,
)
cpdef void find_equals(
    const int[::1] codes, const int[::1] parents, const int[::1] ends, bint only_runs,
    unsigned long long[::1] structure, int[::1] first, int[::1] slots,
) noexcept nogil

@cython.locals(
    multiplier=cython.ulonglong, last=cython.ulonglong, node=cython.ulonglong,
    own_hash=cython.ulonglong, slot=cython.ulonglong, other=int,
)
cdef void intern(
    int child, const int[::1] parents, const unsigned long long[::1] structure, int[::1] first,
    int[::1] slots,
) noexcept nogil

cpdef int merge_equals(
    const int[::1] first, const int[::1] ends, int[::1] stands_for, int[::1] elements,
    unsigned char[::1] repeated,
) noexcept nogil

cdef void pair(
    int model, int copy, const int[::1] first, const int[::1] ends, int[::1] partner
) noexcept nogil
