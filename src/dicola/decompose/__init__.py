"""The decomposition of the paper: independence graph, split, tree and merge."""
