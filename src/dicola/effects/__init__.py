"""From a PAG to answers about causes: which effects follow from it, and by which expression."""
