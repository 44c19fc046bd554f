"""On PYTHONPATH of a crawl: no Parquet part can be written, for the cause that is ordered."""

import errno
import os

from quarkcrawl.store.tables import compaction


class Writer:
    """In place of `pyarrow.parquet`."""

    def write_table(self, *_, **_options):
        if os.environ["NO_COMPACTION"] == "memory":
            raise MemoryError("realloc of size 134217728 failed")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


compaction.pq = Writer()
