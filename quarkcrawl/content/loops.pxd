cimport cython

ctypedef fused Code:
    unsigned short
    unsigned int

cdef bint is_english(
    const Code[::1] codes, Py_ssize_t place, const unsigned int[:, ::1] letters
) noexcept nogil

@cython.locals(before=int, between=int, kind=int, has_english=bint)
cpdef bint find_beginnings(
    const Code[::1] codes, const unsigned char[::1] kinds, const unsigned int[:, ::1] letters,
    int digit, int mark, int begins, int second, int gap, int behind,
    Py_ssize_t[:, ::1] places, Py_ssize_t[::1] numbers,
) noexcept nogil

cpdef void fill_features(
    const long long[::1] chars, const long long[::1] anchor, const long long[::1] marks,
    const unsigned char[::1] custom, const Py_ssize_t[::1] links, const int[::1] node_block,
    double marks_per_10_chars, long long max_marks, long long max_chars, int max_links,
    double anchor_ratio, int[::1] n_links, unsigned char[::1] codes,
) noexcept nogil

@cython.locals(links_matter=bint)
cpdef bint judge(
    const unsigned char[::1] codes, const unsigned char[::1] is_short,
    const unsigned char[:, ::1] decisions, int unlinked,
    unsigned char[::1] likely, unsigned char[::1] matters,
) noexcept nogil

cpdef void fill_distances(const unsigned char[:] content, Py_ssize_t[::1] distances) noexcept nogil

@cython.locals(
    n_chars=int, n_shared=int, n_han=int, n_small=int, class_bits=int, gap=int, n_gaps=int
)
cpdef void count_classes(
    const unsigned int[::1] codes, const int[::1] bounds, const unsigned short[::1] classes,
    const unsigned char[::1] in_title, int[:, ::1] counts, int[::1] first, int[::1] last,
) noexcept nogil

cpdef int number_lines(
    const int[::1] pieces, const int[::1] run_chars, int[::1] run_line, int[::1] first_run
) noexcept nogil

@cython.locals(n_shown=Py_ssize_t, n_lines=Py_ssize_t, last=int)
cpdef void number_shown(
    const unsigned char[::1] hidden, const int[::1] pieces, const int[::1] run_chars,
    Py_ssize_t max_lines, Py_ssize_t[::1] shown, Py_ssize_t[::1] firsts, Py_ssize_t[::1] chars,
    Py_ssize_t[::1] line_of_run,
) noexcept nogil

@cython.locals(before=int, gap=int)
cpdef void sum_lines(
    const int[::1] run_line, const int[:, ::1] counts, const int[::1] first, const int[::1] last,
    const unsigned char[::1] run_link, const int[::1] stretch, int[:, ::1] line_counts,
    int[::1] line_first, int[::1] line_last, int[::1] link_chars, int[::1] n_runs,
) noexcept nogil

cpdef void drop_wrappers(
    const int[::1] run_start, const int[::1] run_end, const int[::1] run_chars, int most_chars,
    long long[::1] total, unsigned char[::1] is_link,
) noexcept nogil

cpdef void fill_basics(
    const int[:, ::1] counts, const int[::1] link_chars, double[:, ::1] basics
) noexcept nogil

@cython.locals(row=Py_ssize_t, n_read=Py_ssize_t, number=Py_ssize_t, n_classes=cython.int)
cpdef void spread_names(
    const double[:, ::1] table, list rows, const unsigned char[::1] is_named, long long[::1] groups,
    double[::1] far, double[::1] near, int[::1] n_words, long long[::1] class_id,
    long long[::1] is_hidden, int[::1] numbers,
)

@cython.locals(
    names=str, given=str, class_name=str, hidden=cython.bint, declares=cython.bint, attr=tuple,
    key=str, value=str
)
cpdef tuple attr_names(tuple attrs, int reads, hides)

@cython.locals(words=list, n=Py_ssize_t, place=Py_ssize_t, start=Py_ssize_t, code=int)
cpdef list name_words(str name)

@cython.locals(
    groups=cython.longlong, far=double, near=double, n_words=Py_ssize_t, part=str, said=tuple,
    bits=cython.longlong, of_any=double, of_near=double, n_of_part=Py_ssize_t, word=str,
    of_word=tuple
)
cdef tuple sum_names(str names, dict parts, dict words, Py_ssize_t most, learn)

@cython.locals(
    places=list, n_chars=Py_ssize_t, attrs=tuple, attr=tuple, value=str, names=str, given=str,
    class_name=str, hidden=cython.bint, declares=cython.bint, row=Py_ssize_t, said=tuple,
    of_given=tuple, is_told=cython.bint, has_names=cython.bint, number=Py_ssize_t
)
cpdef tuple read_rows(
    list all_attrs, int reads, Py_ssize_t max_chars, dict rows, double[:, ::1] table,
    dict class_numbers, dict parts, dict words, Py_ssize_t most, learn, hides
)
