"""From a PAG to an answer: what it says of causes and confounders, adjustment sets, and effects from a table."""
