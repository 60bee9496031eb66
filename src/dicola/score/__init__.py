"""Scores of graphs and searches for graphs with a good one."""
