"""Graphs and data with a known truth: random DAGs, published networks, hidden variables, linear Gaussian samples."""

from dicola.simulate.linear_gaussian import linear_gaussian, linear_gaussian_covariance
from dicola.simulate.networks import network, network_names
from dicola.simulate.random_dag import er_dag, hide, modular_dag

__all__ = ["er_dag", "hide", "linear_gaussian", "linear_gaussian_covariance", "modular_dag", "network", "network_names"]
