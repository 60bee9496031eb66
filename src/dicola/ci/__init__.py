"""Conditional independence tests: the one place, with the data, that knows samples."""
