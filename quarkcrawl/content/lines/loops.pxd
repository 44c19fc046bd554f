cimport cython
cimport libc.math as math

# Rows of ``out`` and ``matrix`` may be parts of longer ones.

cpdef void sum_subtrees(
    const int[::1] parent, const int[::1] node, const double[:, :] values, double[:, ::1] total
) noexcept nogil

cpdef void count_kinds(
    const int[::1] parent, const short[::1] tag, const unsigned char[::1] is_link,
    int image, int field, double[:, ::1] n_of,
) noexcept nogil

cpdef void inherit_bits(const int[::1] parent, long long[::1] bits) noexcept nogil

cpdef void climb(
    const int[::1] parent, const int[::1] node, const double[::1] chars,
    int[::1] outermost, int[::1] above, int[:, ::1] ancestors,
) noexcept nogil

cpdef int find_main(const int[::1] end, const double[::1] good) noexcept nogil

@cython.locals(v=int)
cpdef void find_commons(
    const int[::1] parent, const int[::1] path_ends, unsigned char[:, ::1] on_paths,
    int[:, ::1] commons,
) noexcept nogil

@cython.locals(
    mask=cython.longlong, factor=cython.longlong, name=cython.longlong, number=cython.longlong,
    own=cython.longlong, path=cython.longlong,
)
cpdef void sign(
    const int[::1] parent, const short[::1] tag, const long long[::1] class_id,
    long long[::1] whole, long long[::1] near,
) noexcept nogil

cdef void sort_places(
    Py_ssize_t[::1] places, Py_ssize_t n, const long long[::1] keys, Py_ssize_t[::1] spare
) noexcept nogil

@cython.locals(
    name=cython.longlong, n=Py_ssize_t, start=Py_ssize_t, in_order=cython.bint,
    child=Py_ssize_t, sum_chars=double, most=double,
)
cpdef void group_siblings(
    const int[::1] end, const short[::1] tag, const long long[::1] class_id,
    const double[::1] chars, Py_ssize_t[::1] children, Py_ssize_t[::1] spare, long long[::1] keys,
    int[::1] count, int[::1] index, double[::1] total, double[::1] largest,
) noexcept nogil

@cython.locals(is_repeated=cython.bint)
cpdef int weigh_repeats(
    const int[::1] count, const double[::1] total, int least_count, int least_chars,
    double[::1] weight,
) noexcept nogil

cpdef void find_heaviest(
    const int[::1] parent, const double[::1] weight, int[::1] best
) noexcept nogil

@cython.locals(total=double)
cdef double column_sum(const double[:, ::1] values, Py_ssize_t column) noexcept nogil

cpdef void fill_text(
    float[:, ::cython.view.contiguous] out, const double[:, ::1] basics, const int[:, ::1] counts,
    const int[::1] first, const int[::1] last, const int[::1] n_runs, int title_chars,
    const double[::1] scores,
) noexcept nogil

@cython.locals(title_chars=float, least_chars=float, most=float, match=float)
cpdef int find_title(
    const float[:, ::cython.view.contiguous] text, int share, int ratio, float least_share,
    float most_chars,
) noexcept nogil

@cython.locals(weight=double, good=double)
cpdef void fill_places(
    float[:, ::cython.view.contiguous] out, const double[:, ::1] basics,
    Py_ssize_t h1_line, Py_ssize_t title_line, const float[:, ::cython.view.contiguous] text,
) noexcept nogil

@cython.locals(before=double, v=int)
cpdef void fill_levels(
    float[:, ::cython.view.contiguous] out, const int[:, ::1] levels, int n_levels,
    const double[:, ::1] sums, const int[::1] first_run, const int[::1] run_start,
    double[::1] chars_before, const double[:, ::1] basics,
    const signed char[::1] category, const double[:, ::1] n_of,
    const int[::1] count, const int[::1] index, const double[::1] total, const double[::1] largest,
) noexcept nogil

cpdef void fill_tree(
    float[:, ::cython.view.contiguous] out, const int[::1] node, const int[::1] parent,
    const int[::1] depth, const signed char[::1] category, const long long[::1] hidden,
    const double[::1] scores, const int[:, ::1] levels, const unsigned char[::1] on_main,
    int main_end, const int[:, ::1] commons, const int[::1] end_depths, const double[:, ::1] sums,
) noexcept nogil

cpdef void fill_repeats(
    float[:, ::cython.view.contiguous] out, const int[::1] node, const int[::1] best,
    const int[::1] parent, const int[::1] depth, const signed char[::1] category,
    const double[:, ::1] sums, const int[::1] count, const int[::1] index,
    const double[::1] total,
) noexcept nogil

cpdef void fill_words(
    float[:, ::cython.view.contiguous] inside, float[:, ::cython.view.contiguous] near,
    float[:, ::cython.view.contiguous] around, const int[::1] node, const int[::1] parent,
    const int[:, ::1] levels, const long long[::1] groups, const long long[::1] inherited,
) noexcept nogil

cpdef void fill_bits(
    float[:, ::cython.view.contiguous] out, const int[::1] node, const long long[::1] bits
) noexcept nogil

cpdef void fill_looks(
    float[:, ::cython.view.contiguous] out, const long long[::1] look,
    const Py_ssize_t[::1] order, const double[:, ::1] basics, double[::1] total,
) noexcept nogil

cpdef void fill_neighbors(
    float[:, ::cython.view.contiguous] out, const float[:, ::cython.view.contiguous] matrix,
    const Py_ssize_t[::1] bases, Py_ssize_t reach, float[:, ::1] values,
) noexcept nogil

cpdef void fill_windows(
    float[:, ::cython.view.contiguous] out, const double[:, ::1] basics,
    const Py_ssize_t[::1] kinds, const Py_ssize_t[::1] sizes, double[:, ::1] total,
) noexcept nogil

@cython.locals(same_look=cython.bint, same_parent=cython.bint)
cpdef void fill_same(
    float[:, ::cython.view.contiguous] out, const long long[::1] look,
    const int[::1] node, const int[::1] parent,
) noexcept nogil

@cython.locals(n_han=cython.longlong, longest=double)
cpdef void fill_page(
    float[:, ::cython.view.contiguous] out, const int[:, ::1] counts, const double[:, ::1] basics,
    const double[:, ::1] sums, const int[::1] parent, const short[::1] tag,
    const long long[::1] groups, const int[::1] count, const double[::1] total,
    Py_ssize_t main_end, Py_ssize_t top, int n_h1,
    const Py_ssize_t[::1] tags, const Py_ssize_t[::1] bits,
) noexcept nogil
