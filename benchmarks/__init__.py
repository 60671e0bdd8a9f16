"""How fast docendo is, beside PyTorch and hand-written C: `python -m benchmarks`, described in docs/benchmarks.md."""
