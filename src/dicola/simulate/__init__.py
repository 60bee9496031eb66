"""Graphs and data with a known truth: random DAGs, published networks, hidden variables, samples."""

from dicola.simulate.additive_noise import additive_noise
from dicola.simulate.hidden_causes import confounded, factor_dag
from dicola.simulate.linear_gaussian import linear_gaussian, linear_gaussian_covariance
from dicola.simulate.networks import network, network_names
from dicola.simulate.random_dag import er_dag, hide, hub_dag, modular_dag, scale_free_dag

__all__ = [
    "additive_noise",
    "confounded",
    "er_dag",
    "factor_dag",
    "hide",
    "hub_dag",
    "linear_gaussian",
    "linear_gaussian_covariance",
    "modular_dag",
    "network",
    "network_names",
    "scale_free_dag",
]
