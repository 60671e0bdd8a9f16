"""`python -m docendo`, the same as `docendo`."""

from docendo.cli import main

if __name__ == "__main__":
    main()
