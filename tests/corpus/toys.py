"""Functions that workers run in the tests: good ones, and all the ways to be bad."""

import ctypes
import os
import signal
import sys
import time


def double(value):
    return 2 * value


def behave(value):
    """Doubles numbers; words say what goes wrong."""
    if not isinstance(value, str):
        return 2 * value
    return globals()["do_" + value]()


def do_segfault():
    ctypes.string_at(0)


def do_abort():
    os.abort()


def do_exit():
    os._exit(7)


def do_sys_exit():
    sys.exit("not here")


def do_raise():
    raise ValueError("坏")


def do_surrogate():
    raise ValueError("bad \ud800")


def do_loop():
    while True:
        pass


def do_loop_in_c():
    """One call that holds the interpreter lock for minutes."""
    import re

    re.match("(a|a)*b", "a" * 60)


def do_block_the_alarm():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(1000)


def do_no_memory():
    raise MemoryError


def do_take_memory():
    return len(bytes(4 << 30))


def do_recursion():
    return do_recursion()


def do_unpicklable():
    return lambda: None


class Unreadable:
    """Pickles; cannot be built again."""

    def __reduce__(self):
        return _fail, ()


def _fail():
    raise RuntimeError("not readable")


def do_unreadable():
    return Unreadable()


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def do_silent():
    raise SilentError


def my_pid(_):
    return os.getpid()


def crash_once(path):
    """Dies the first time; a file remembers."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return "second try"
    return os.kill(os.getpid(), signal.SIGKILL)


def slow(pair):
    value, seconds = pair
    time.sleep(seconds)
    return value


def big(value):
    return bytes(value)


# Extraction of stored pages


def quick(page, root, plan):
    """A row without the work."""
    return {"content_text": page.url, "content_method": dict(plan.stages[-1].options)["method"]}


def unlucky(page, root, plan):
    """As `quick`, but some pages do not bear it."""
    number = int(page.url.rpartition("/p")[2].partition(".")[0])
    wrong = {3: do_segfault, 5: do_loop, 7: do_raise, 11: do_no_memory}.get(number)
    return wrong() if wrong else quick(page, root, plan)


def unhurried(page, root, plan):
    """As `quick`, with time to be killed in."""
    time.sleep(0.003)
    return quick(page, root, plan)


def big_row(page, root, options):
    """A row with more text than most pages have."""
    return {"content_text": page.url * 300, "content_method": options.method}
