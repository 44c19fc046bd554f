cimport cython

ctypedef fused Real:
    float
    double

ctypedef fused Received:
    float
    double

@cython.locals(odd=cython.ulonglong, ones=cython.ulonglong)
cdef unsigned long long mixed(
    unsigned long long bits, unsigned long long word
) noexcept nogil

cdef unsigned long long byte_at(const unsigned char[::1] data, Py_ssize_t place) noexcept nogil

cdef unsigned long long word_at(const unsigned char[::1] data, Py_ssize_t place) noexcept nogil

@cython.locals(bits=cython.ulonglong, word=cython.ulonglong)
cdef unsigned long long tag_of(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end, unsigned long long seed
) noexcept nogil

cdef bint is_same(
    const unsigned char[::1] data, Py_ssize_t start,
    const unsigned char[::1] others, Py_ssize_t begin, Py_ssize_t n,
) noexcept nogil

@cython.locals(
    last=cython.ulonglong, tag=cython.ulonglong, place=cython.ulonglong, slot=cython.ulonglong,
    low=cython.ulonglong, half=cython.ulonglong, number=Py_ssize_t,
    start=Py_ssize_t, end=Py_ssize_t,
)
cpdef Py_ssize_t intern(
    const unsigned char[::1] texts, const long long[::1] text_ends,
    unsigned char[::1] known_texts, long long[::1] known_ends, unsigned long long[::1] slots,
    Py_ssize_t n_known, unsigned long long seed, int[::1] numbers,
) noexcept nogil

@cython.locals(
    last=cython.ulonglong, place=cython.ulonglong, slot=cython.ulonglong,
)
cpdef void put_again(
    const unsigned long long[::1] slots, unsigned long long[::1] larger
) noexcept nogil

cpdef void mark_targets(
    const long long[::1] start, const long long[::1] end, const int[::1] target,
    const unsigned char[::1] nofollow, bint skips, const int[::1] counts_for,
    unsigned char[::1] seen,
) noexcept nogil

cpdef void renumber(int[::1] target, const int[::1] number) noexcept nogil

@cython.locals(reason=int)
cpdef void sort_links(
    const int[::1] page, const long long[::1] start, const long long[::1] end,
    const long long[::1] blocks, const long long[::1] original, const int[::1] target,
    const unsigned char[::1] nofollow, bint skips, const int[::1] link_block,
    const long long[::1] block_ptr, bint self_links, long long[::1] ends, int[::1] ordered,
    long long[::1] reasons, bint filling,
) noexcept nogil

@cython.locals(length=cython.longlong, n=cython.longlong, half=double, middle=double)
cpdef void fill_text_geometry(
    const long long[::1] label_ptr, const int[::1] n_chars, const long long[::1] rows,
    const long long[::1] ptr, float[::1] size, float[::1] distance,
) noexcept nogil

cpdef void count_by_block(const long long[::1] source, long long[::1] ends) noexcept nogil

cpdef void put_by_block(
    const long long[::1] source, const int[::1] target, long long[::1] ends, int[::1] ordered
) noexcept nogil

@cython.locals(repeats=Py_ssize_t)
cpdef Py_ssize_t sort_blocks(const long long[::1] ptr, int[::1] targets) noexcept nogil

@cython.locals(n=Py_ssize_t, repeated=cython.bint)
cpdef void merge_runs(
    const long long[::1] ptr, int[::1] targets, int[::1] counts, long long[::1] merged
) noexcept nogil

@cython.locals(n=Py_ssize_t, once=cython.bint)
cpdef void turn_links(
    const long long[::1] ptr, const int[::1] targets, const int[::1] counts,
    const int[::1] sender, int[::1] last, long long[::1] sizes, long long[::1] ends,
    int[::1] incoming, bint filling,
) noexcept nogil

cpdef void send(
    const int[::1] page, const Real[::1] coefficient, const Real[::1] ranks, Real[::1] values
) noexcept nogil

@cython.locals(total=double, got=double)
cpdef double pull(
    const long long[::1] in_ptr, const int[::1] incoming, const Real[::1] values,
    Real[::1] received, double damping,
) noexcept

@cython.locals(difference=double, everywhere=double, new=double, uniform=cython.bint)
cpdef double settle(
    const Received[::1] received, Real[::1] ranks, const Real[::1] jump, double missing
) noexcept nogil

@cython.locals(inversions=cython.longlong, place=cython.longlong)
cpdef long long count_inversions(const long long[::1] numbers, long long[::1] tree) noexcept nogil
