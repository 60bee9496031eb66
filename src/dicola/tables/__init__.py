"""Tables: columns of kinds in a fixed order, how they are read, and what a test may ask of them."""
