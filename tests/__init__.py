"""The test suite, importable so that tests can share oracles."""
