cimport cython

ctypedef fused Code:
    unsigned short
    unsigned int

cpdef void fill_innermost(int[::1] starts, const int[::1] ends, int[::1] innermost) noexcept nogil

@cython.locals(
    stack="long long[::1]", rests="long long[::1]", layouts="long long[::1]", bigs="long long[::1]"
)
cpdef void find_roots(
    const int[::1] end, const short[::1] tag, const unsigned char[::1] kinds,
    const unsigned char[::1] custom, const unsigned char[::1] hidden,
    const long long[::1] text_chars, int forced, int big, int layout, double ripe_chars,
    double ripe_layout_share, long long[:, ::1] levels, unsigned char[::1] is_root,
) noexcept nogil

@cython.locals(starts="int[::1]", ends="int[::1]", rank="int[::1]", block=int)
cpdef void number_blocks(
    const Py_ssize_t[::1] roots, const int[::1] run_start, const int[::1] run_end,
    const unsigned char[::1] run_hidden, const int[::1] run_chars, int[:, ::1] work,
    Py_ssize_t[::1] ranked, int[::1] run_block,
) noexcept nogil

cpdef void spread_blocks(
    const Py_ssize_t[::1] root, const int[::1] parent, int[::1] node_block
) noexcept nogil

cpdef void mark_custom(
    const unsigned char[::1] custom, const unsigned char[::1] hidden, const int[::1] node_block,
    unsigned char[::1] is_custom,
) noexcept nogil

cpdef void count_in_blocks(
    const int[::1] run_block, const int[::1] chars, const unsigned char[::1] linked,
    const int[::1] marks, long long[:, ::1] sums,
) noexcept nogil

cpdef void add_by_block(
    const int[::1] run_block, const long long[::1] values, long long[::1] sums
) noexcept nogil

cpdef void sort_by_block(
    const int[::1] run_block, Py_ssize_t[::1] edges, Py_ssize_t[::1] order
) noexcept nogil

cpdef void find_beginnings(
    const Py_ssize_t[::1] edges, const long long[::1] upto, const Py_ssize_t[::1] sets,
    long long n_chars, int from_ink, Py_ssize_t[:, ::1] slices,
) noexcept nogil

cdef Py_ssize_t piece_end(
    const Py_ssize_t[::1] runs, Py_ssize_t place, Py_ssize_t last, const int[::1] run_piece
) noexcept nogil

cdef bint has_ink(
    const Py_ssize_t[::1] runs, Py_ssize_t place, Py_ssize_t behind, const int[::1] run_chars
) noexcept nogil

cpdef Py_ssize_t find_pieces(
    const Py_ssize_t[::1] runs, const int[::1] run_piece, const int[::1] run_chars,
    Py_ssize_t[:, ::1] slices,
) noexcept nogil

@cython.locals(total=Py_ssize_t)
cpdef Py_ssize_t most_codes(
    const int[::1] starts, const Py_ssize_t[::1] runs, const Py_ssize_t[:, ::1] slices
) noexcept nogil

cdef Py_ssize_t write_folded(
    Code[::1] out, Py_ssize_t n, const Code[::1] codes, Py_ssize_t start, Py_ssize_t end,
    const unsigned char[::1] white, Py_ssize_t begin,
) noexcept nogil

cdef Py_ssize_t write_as_is(
    Code[::1] out, Py_ssize_t n, const Code[::1] codes, Py_ssize_t start, Py_ssize_t end,
    Py_ssize_t begin,
) noexcept nogil

@cython.locals(is_new=bint)
cpdef void fold(
    const Code[::1] codes, const int[::1] starts, const int[::1] run_chars,
    const int[::1] run_piece, const int[::1] run_row, const unsigned char[::1] run_pre,
    const unsigned char[::1] white, const Py_ssize_t[::1] runs, Py_ssize_t[:, ::1] slices,
    int first_line, int all_pieces, Code[::1] out,
) noexcept nogil
