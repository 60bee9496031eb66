"""From a test and a plan to a discovery: Algorithm 3, its modes, and the way around one variable."""
