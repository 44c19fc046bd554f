cimport cython

cpdef long long one() noexcept nogil

cpdef long long ratio(long long common, long long most) noexcept nogil

cdef long long needed(long long floor, long long most) noexcept nogil

@cython.locals(ends=cython.longlong)
cpdef long long common_weight(
    const int[::1] a, Py_ssize_t start_a, Py_ssize_t end_a,
    const int[::1] b, Py_ssize_t start_b, Py_ssize_t end_b,
    const long long[::1] weights, long long least, long long[::1] row,
) noexcept nogil

@cython.locals(
    band=Py_ssize_t, n_a=Py_ssize_t, n_b=Py_ssize_t, rest=cython.longlong,
    lightest=cython.longlong, inside=cython.longlong, outside=cython.longlong,
    weight=cython.longlong, diagonal=cython.longlong, before=cython.longlong,
    above=cython.longlong,
)
cdef long long middle_weight(
    const int[::1] a, Py_ssize_t start_a, Py_ssize_t end_a,
    const int[::1] b, Py_ssize_t start_b, Py_ssize_t end_b,
    const long long[::1] weights, long long ends, long long least, long long[::1] row,
) noexcept nogil

@cython.locals(
    low=Py_ssize_t, high=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, weight=cython.longlong,
    diagonal=cython.longlong, before=cython.longlong, above=cython.longlong,
)
cdef long long banded(
    const int[::1] a, Py_ssize_t start_a, Py_ssize_t n_a,
    const int[::1] b, Py_ssize_t start_b, Py_ssize_t n_b,
    const long long[::1] weights, Py_ssize_t band, long long[::1] row,
) noexcept nogil

@cython.locals(
    i=Py_ssize_t, j=Py_ssize_t, n=Py_ssize_t, width=Py_ssize_t, weight=cython.longlong,
    diagonal=cython.longlong, before=cython.longlong, above=cython.longlong,
)
cpdef Py_ssize_t align(
    const int[::1] a, const int[::1] b, const long long[::1] weights, long long[::1] row,
    unsigned char[::1] is_step, int[:, ::1] places,
) noexcept nogil

@cython.locals(rest=cython.longlong, place=cython.longlong)
cpdef void find_prefix_ends(
    const long long[::1] begin, const long long[::1] weights, const long long[::1] total,
    long long floor, long long[::1] ends,
) noexcept nogil

@cython.locals(
    least=cython.longlong, a=Py_ssize_t, b=Py_ssize_t, other=Py_ssize_t, common=cython.longlong
)
cpdef Py_ssize_t probe(
    Py_ssize_t item, Py_ssize_t last, long long floor, const int[::1] tokens,
    const long long[::1] token_begin, const long long[::1] token_weights,
    const long long[::1] total, const long long[::1] order, const int[::1] ids,
    const long long[::1] weights, const long long[::1] begin, const long long[::1] prefix_end,
    const int[::1] posting, const long long[::1] posting_begin, long long[::1] row,
    int[::1] seen, int[:, ::1] pairs, long long[::1] counts,
) noexcept

@cython.locals(common=cython.longlong, i=Py_ssize_t, j=Py_ssize_t)
cdef bint bag_reaches(
    Py_ssize_t item, Py_ssize_t other, long long least, const int[::1] ids,
    const long long[::1] weights, const long long[::1] begin,
) noexcept nogil

@cython.locals(
    a=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, middle=Py_ssize_t, common=cython.longlong,
    distance=cython.longlong,
)
cpdef void agglomerate(
    int[:, ::1] similarity, int floor, const int[::1] tokens, const long long[::1] begin,
    const long long[::1] weights, const long long[::1] total, const long long[::1] count,
    long long[::1] row, int[::1] following, int[::1] head, long long[::1] spread, int[::1] best,
    int[::1] center,
) noexcept

@cython.locals(most=int)
cdef void find_partner(
    Py_ssize_t c, const int[:, ::1] similarity, int floor, const int[::1] head, int[::1] best
) noexcept nogil

@cython.locals(center=Py_ssize_t, most=int)
cdef Py_ssize_t closest(
    const int[:, ::1] similarity, const int[::1] head, const int[::1] best
) noexcept nogil

@cython.locals(last=Py_ssize_t, begin=Py_ssize_t, middle=Py_ssize_t, item=Py_ssize_t)
cdef Py_ssize_t join(
    Py_ssize_t a, Py_ssize_t b, int[::1] head, int[::1] following, const long long[::1] spread,
    int[::1] center,
) noexcept nogil

@cython.locals(old=Py_ssize_t, more=int)
cdef void update_partners(
    Py_ssize_t middle, const int[:, ::1] similarity, int floor, const int[::1] head, int[::1] best
) noexcept nogil

@cython.locals(
    n_leaders=Py_ssize_t, item=Py_ssize_t, leader=Py_ssize_t, least=cython.longlong,
    common=cython.longlong,
)
cpdef void lead(
    const long long[::1] order, long long floor, const int[::1] tokens,
    const long long[::1] begin, const long long[::1] weights, const long long[::1] total,
    long long[::1] row, long long[::1] leaders, long long[::1] leader_of,
) noexcept

@cython.locals(
    own=cython.longlong, best=Py_ssize_t, most=cython.longlong, number=Py_ssize_t,
    heavier=cython.longlong, least=cython.longlong, common=cython.longlong, value=cython.longlong,
)
cpdef Py_ssize_t nearest(
    const int[::1] page, const long long[::1] heavy, const long long[::1] candidates,
    const long long[::1] floors, const int[::1] tokens, const long long[::1] begin,
    const long long[::1] weights, const long long[::1] total, long long[::1] row,
) noexcept nogil
