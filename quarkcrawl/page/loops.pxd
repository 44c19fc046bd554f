cimport cython

ctypedef fused CharCodes:
    const unsigned short[::1]
    const unsigned int[::1]

@cython.locals(start=Py_ssize_t, n_inked=int, n_marks=int, n_stops=int)
cpdef bint count_chars(
    CharCodes codes, const unsigned char[::1] left_out,
    const unsigned char[::1] classes, int space, int punctuation, int stop,
    int[::1] starts, int[::1] inked, int[::1] marks, int[::1] stops,
) noexcept nogil

cpdef int flatten(const int[::1] marks, int max_depth, int[::1] flat) noexcept nogil

@cython.locals(deepest=int)
cpdef int fill_structure(
    const int[::1] marks, const short[::1] tag, const unsigned char[::1] hides, int[::1] stack,
    int[::1] parent, int[::1] end, int[::1] depth, unsigned char[::1] hidden,
    int[::1] run_start, int[::1] run_end, int[::1] run_node, unsigned char[::1] run_hidden,
) noexcept nogil

@cython.locals(total=Py_ssize_t)
cpdef void sort_by_tag(
    const short[::1] tag, Py_ssize_t[::1] first, Py_ssize_t[::1] order
) noexcept nogil

@cython.locals(piece=int, row=int, n_pre=int)
cpdef void fill_lines(
    const int[::1] marks, const short[::1] tag, const unsigned char[::1] hidden,
    const unsigned char[::1] breaks, const unsigned char[::1] is_link,
    int line, int cell, int preformat, int[::1] stack, int[::1] run_piece, int[::1] run_row,
    unsigned char[::1] linked, unsigned char[::1] preformatted,
) noexcept nogil

cpdef void find_inked(
    const int[::1] run_chars, const Py_ssize_t[::1] runs, Py_ssize_t[::1] inked
) noexcept nogil

@cython.locals(most=Py_ssize_t, text=str)
cpdef Py_ssize_t longest(list texts)

cpdef bint has_formula_name(str value)

@cython.locals(
    attrs=tuple, attr=tuple, name=str, value=str, programs=list, shown=list, inline=list,
    is_inline=bint, is_program=bint
)
cpdef tuple formula_hints(
    list all_attrs, const Py_ssize_t[::1] scripts, const Py_ssize_t[::1] pictures
)

@cython.locals(
    node=Py_ssize_t, attrs=tuple, attr=tuple, name=str, value=str, has_stated=bint, has_marked=bint
)
cpdef tuple formula_names(list all_attrs)

@cython.locals(last=int, place=Py_ssize_t, n_inked=Py_ssize_t)
cpdef Py_ssize_t count_inked(str text, const unsigned char[::1] classes, int space)
