"""`python -m coffeerush`: the command line, also from a source tree without an install."""

from coffeerush.cli.main import main

if __name__ == "__main__":
    main()
