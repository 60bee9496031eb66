"""Graphs: the mark matrix, the three kinds of graph on it, skeletons and undirected graphs."""
