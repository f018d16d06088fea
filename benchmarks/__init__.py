"""Speed against rivals, measured side by side in one run: ``python -m benchmarks``."""
