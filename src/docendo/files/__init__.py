"""Files that are whole or absent: atomic writes, checksums, JSON, and arrays with a header."""

from docendo.files.arrays import load_arrays, read_npz, save_arrays
from docendo.files.atomic import FilePath, checksum, remove_leftovers, writable_folder, write_atomically
from docendo.files.content import content_hash, read_json, to_json, write_json

__all__ = [
    "FilePath",
    "checksum",
    "content_hash",
    "load_arrays",
    "read_json",
    "read_npz",
    "remove_leftovers",
    "save_arrays",
    "to_json",
    "writable_folder",
    "write_atomically",
    "write_json",
]
