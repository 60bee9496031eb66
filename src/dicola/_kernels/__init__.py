"""Compiled loops on arrays; they know nothing of the rest of the library."""
