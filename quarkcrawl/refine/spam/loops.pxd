cimport cython

ctypedef unsigned long long Hash

@cython.locals(place=Py_ssize_t, code=Py_ssize_t, n_marked=Py_ssize_t)
cpdef bint holds_any(str text, const unsigned char[::1] marked)

@cython.locals(
    n_classes=Py_ssize_t, last=Py_ssize_t, place=Py_ssize_t, code=Py_ssize_t,
    further=Py_ssize_t, end=Py_ssize_t, following=Py_ssize_t, places=list,
)
cpdef list head_places(
    str text, const unsigned char[::1] classes, const unsigned char[::1] pairs
)

cdef bint _is_part(Py_ssize_t code) noexcept

cdef bint _is_sign(Py_ssize_t code) noexcept

@cython.locals(
    last=Py_ssize_t, n_read=Py_ssize_t, end=Py_ssize_t, place=Py_ssize_t, further=Py_ssize_t,
    inner=Py_ssize_t, code=Py_ssize_t, start=Py_ssize_t, written=Py_ssize_t, read=Py_ssize_t,
    is_first=bint, words=list,
)
cpdef list latin_words(
    str text, const unsigned char[::1] read_as, const unsigned char[::1] is_known
)

@cython.locals(ones=Hash, mixer=Hash, shift=int, last=Hash, slot=Hash, value=Hash, place=Py_ssize_t)
cpdef void count_grams(str text, Py_ssize_t n_gram, unsigned char[::1] counts)

@cython.locals(ones=Hash, mixer=Hash, shift=int, value=Hash, place=Py_ssize_t, n=Py_ssize_t)
cpdef Py_ssize_t counted(
    str text, Py_ssize_t start, Py_ssize_t n_gram, const unsigned char[::1] counts
)

cpdef list places_again(
    str text, Py_ssize_t n_gram, object places, const unsigned char[::1] counts
)

@cython.locals(place=Py_ssize_t)
cdef bint _names_host(str value)

@cython.locals(row=Py_ssize_t, attr=tuple, value=str, addresses=list)
cpdef list absolute_links(list all_attrs, const Py_ssize_t[::1] links, tuple own)

@cython.locals(
    row=Py_ssize_t, node=Py_ssize_t, place=Py_ssize_t, code=Py_ssize_t, before=Py_ssize_t,
    is_hint=bint, source=str, script_runs=list,
)
cpdef list hinted_scripts(
    list runs, const Py_ssize_t[::1] scripts, const int[::1] run_start, const int[::1] run_end,
    Py_ssize_t most,
)

@cython.locals(node=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, run=Py_ssize_t, texts=list)
cpdef list link_texts(
    list runs, const unsigned char[::1] run_raw, const int[::1] run_start,
    const int[::1] run_end, list links,
)

@cython.locals(
    row=Py_ssize_t, attr=tuple, keywords=str, description=str, said=str, named=str,
)
cpdef tuple declarations(list all_attrs, const Py_ssize_t[::1] metas)
