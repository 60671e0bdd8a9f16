"""One experiment of the paper a file, and the digits some of them need."""
