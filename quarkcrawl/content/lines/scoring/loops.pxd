cimport cython
cimport libc.math as math

cdef inline int char_kind(unsigned int code) noexcept nogil

@cython.locals(mask=cython.ulonglong, value=cython.ulonglong, char=cython.uint, before=int)
cdef inline Py_ssize_t read_words(
    const unsigned int[::1] codes, Py_ssize_t start, Py_ssize_t stop,
    unsigned int[::1] words, Py_ssize_t n_words,
) noexcept nogil

@cython.locals(
    mask=cython.ulonglong, n_tokens=Py_ssize_t, run=Py_ssize_t, n_words=Py_ssize_t,
    before=cython.ulonglong, word=cython.ulonglong, mixed=cython.ulonglong,
)
cpdef Py_ssize_t hash_words(
    const unsigned int[::1] codes, const int[::1] bounds, const int[::1] run_line,
    int bits, int max_head, int max_tail,
    unsigned int[::1] words, int[::1] starts, int[::1] tokens,
) noexcept nogil

@cython.locals(total=double)
cpdef void score_tokens(
    const int[::1] starts, const int[::1] tokens, const float[::1] weights, double[::1] scores
) noexcept nogil

@cython.locals(score=double, n_counted=int, last=Py_ssize_t, before=Py_ssize_t)
cpdef void score_names(
    const int[::1] parent, const double[::1] far, const double[::1] near, const int[::1] n_words,
    double[::1] total, int[:, ::1] words_of_node, double[::1] scores,
) noexcept nogil

cpdef void number_leaves(
    const int[::1] roots, const int[::1] node, int shift, int most,
    int[::1] tree, int[::1] n_leaves, int[::1] first_leaf,
) noexcept nogil

@cython.locals(
    every=cython.uint, n_lanes=Py_ssize_t, start=Py_ssize_t, row=Py_ssize_t, bits=cython.uint,
    a=Py_ssize_t, b=Py_ssize_t, most_a=float, most_b=float,
    mask_a=cython.uint, mask_b=cython.uint,
)
cpdef void add_scores(
    const float[:, ::1] matrix, const Py_ssize_t[::1] rows, Py_ssize_t start_tree,
    Py_ssize_t stop_tree, const int[::1] columns, const int[:, ::1] column,
    const float[:, ::1] threshold, const unsigned int[:, ::1] masks, const float[:, ::1] leaves,
    float[:, ::1] values, unsigned int[::1] alive, double[::1] score, double[::1] total,
) noexcept nogil

cpdef unsigned int leaf_slot(unsigned int bit) noexcept nogil

@cython.locals(total=double, total_weight=double, own_weight=double, line=Py_ssize_t)
cpdef void draw_together(
    const double[::1] score, const long long[::1] look, const Py_ssize_t[::1] order,
    const double[:] weight, double most, Py_ssize_t min_lines, double share, double[::1] smooth,
) noexcept nogil

@cython.locals(expected=double, content=double, taken=double, best=double, line=Py_ssize_t)
cpdef void best_f1(
    const double[:] probability, const double[:] weight, const Py_ssize_t[::1] order,
    double[::1] f1_and_expected,
) noexcept nogil
