cimport cython

@cython.locals(node=Py_ssize_t, attrs=tuple, attr=tuple, key=str, value=str, names=set, types=set)
cpdef tuple naming_values(list all_attrs, const unsigned char[::1] is_read)

@cython.locals(word=str, code=cython.uint, codes=set)
cpdef set word_codes(list words, unsigned int mask)

@cython.locals(
    codes=set, name=str, letters=str, n=Py_ssize_t, place=Py_ssize_t, has_before=cython.bint,
    before=cython.uint, word=cython.uint, both=cython.uint, code=cython.uint
)
cpdef set name_codes(list names, const unsigned int[::1] table, unsigned int mask)

@cython.locals(
    codes=set, label=str, data=bytes, n=Py_ssize_t, place=Py_ssize_t, n_letters=int,
    is_ascii=cython.bint, text=cython.uint, word=cython.uint, byte=cython.uchar
)
cpdef set label_codes(
    list labels, const unsigned int[::1] table, unsigned int whole, unsigned int part,
    unsigned int mask
)

cpdef int bucket_of(int code, int behind, int mask) noexcept nogil

@cython.locals(
    n=Py_ssize_t, place=Py_ssize_t, code=int, behind=int, n_first_codes=int, piece=int, start=int,
    n_codes=int, n_same=int
)
cpdef void count_pieces(
    str text, const int[::1] codes, const int[::1] starts, const int[::1] first,
    const int[::1] following, int mask, int[::1] ends, int[::1] counts
) noexcept
