"""Orientation of a skeleton: colliders (R0), then the complete rules R1-R10 of Zhang (2008)."""
