"""Markov blanket learners: who depends on whom given all the rest."""
