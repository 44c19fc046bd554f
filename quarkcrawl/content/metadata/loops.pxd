cimport cython

cdef bint is_digit(str text, Py_ssize_t place, Py_ssize_t last)

cdef Py_ssize_t hint_end(str text, Py_ssize_t place, Py_ssize_t last)

@cython.locals(
    place=Py_ssize_t, end=Py_ssize_t, passed=Py_ssize_t, char=Py_UCS4, code=int, is_found=bint,
    has_rare=bint,
)
cpdef tuple hinted_lines(str text, Py_ssize_t first, Py_ssize_t last, Py_ssize_t number)

@cython.locals(n_between=int)
cdef bint is_behind_day(str line, Py_ssize_t place)

@cython.locals(n_between=int, char=Py_UCS4)
cdef bint is_behind_month(str line, Py_ssize_t place)

@cython.locals(
    n=Py_ssize_t, place=Py_ssize_t, start=Py_ssize_t, n_digits=Py_ssize_t, n_years=int, code=int,
    char=Py_UCS4, mark=Py_UCS4, first=Py_UCS4, second=Py_UCS4, is_plain=bint, is_year_mark=bint,
    has_numerals=bint, has_roc=bint, has_moon=bint, has_comma=bint, has_slash=bint, has_day=bint,
    before=bint, full=list, bare=list, slashed=list, short=list, dotted=list, yearless=list,
    days=list, named=list, month_days=list, day=Py_ssize_t, n_passed=Py_ssize_t,
)
cpdef list date_places(str line, bint roc, bint has_year, bint day_first)

@cython.locals(place=Py_ssize_t, code=int, n_foreign=int, row=Py_ssize_t)
cpdef int count_scripts(str text, const int[:, ::1] ranges, int[::1] counts)

@cython.locals(attrs=tuple, attr=tuple, node=Py_ssize_t, nodes=list)
cpdef list holders(list all_attrs, set attributes, set values)
