cimport cython

ctypedef fused Code:
    unsigned short
    unsigned int

@cython.locals(end=int, first=int, word=int, letter=int, month=int, is_match=cython.bint)
cdef bint is_month(
    const Code[::1] codes, int start, int place, const int[::1] months
) noexcept nogil

@cython.locals(
    n_dates=int, start=int, stop=int, place=int, n_digits=int, before=int, between=int, code=int,
    is_date=cython.bint, is_start=cython.bint, join=int, unit=int, run=int, n_chars=int
)
cpdef int mark_dates(
    const Code[::1] codes, const int[::1] starts, int max_chars,
    const unsigned short[::1] joins, const unsigned short[::1] units, const int[::1] months,
    unsigned char[::1] dated,
) noexcept nogil
