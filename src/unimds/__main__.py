"""The command line, also as ``python -m unimds``."""

from unimds.cli import main

if __name__ == "__main__":
    main()
