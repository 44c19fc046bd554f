"""``python -m quarkcrawl`` is the ``quarkcrawl`` command."""

import sys

from quarkcrawl.cli import main

if __name__ == "__main__":
    sys.exit(main())
