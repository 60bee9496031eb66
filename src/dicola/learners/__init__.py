"""Base learners: each finds the skeleton over a set of variables, alone or on the leaves of a decomposition."""
