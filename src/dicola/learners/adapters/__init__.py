"""Other people's learners as base learners: each answers with adjacencies, and dicola adds what a leaf needs besides."""
