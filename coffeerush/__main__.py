"""`python -m coffeerush`: the command line, also in a bare source tree."""

from coffeerush.cli.main import main

if __name__ == "__main__":
    main()
