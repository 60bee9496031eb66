"""Scores of graphs, and the searches that look for the graph with the best one."""
