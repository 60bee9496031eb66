"""RICF as its definition reads (Drton, Eichler and Richardson 2009), and the likelihood maximised with no knowledge of it."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from dicola import MAG
from dicola.graphs.marks import ARROW, TAIL


def edges_of(mag: MAG) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Arrows and bidirected edges."""
    n = len(mag)
    arrows = [(a, b) for a in range(n) for b in range(n) if mag.marks[a, b] == ARROW and mag.marks[b, a] == TAIL]
    joined = [(a, b) for a in range(n) for b in range(a + 1, n) if mag.marks[a, b] == ARROW == mag.marks[b, a]]
    return arrows, joined


def misfit(correlation: np.ndarray, slopes: np.ndarray, omega: np.ndarray) -> float:
    """ln det Omega + tr(Omega^-1 E) - n with E the covariance of the residuals; infinite where Omega is no covariance."""
    if np.linalg.eigvalsh(omega)[0] <= 0:
        return np.inf
    left = np.eye(len(omega)) - slopes
    residual = left @ correlation @ left.T
    return float(np.linalg.slogdet(omega)[1] + np.trace(np.linalg.solve(omega, residual)) - len(omega))


def fitted(correlation: np.ndarray, mag: MAG) -> float:
    """The misfit of a MAG at its best."""
    return misfit(correlation, *parameters(correlation, mag))


def implied(correlation: np.ndarray, mag: MAG) -> np.ndarray:
    """The correlations that a MAG implies at its best."""
    slopes, omega = parameters(correlation, mag)
    total = np.linalg.inv(np.eye(len(mag)) - slopes)
    return total @ omega @ total.T


def parameters(correlation: np.ndarray, mag: MAG, sweeps: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Slopes and residual covariance at their best, by residual iterative conditional fitting of the whole graph at once."""
    n = len(mag)
    arrows, joined = edges_of(mag)
    slopes, omega = np.zeros((n, n)), np.eye(n)
    for _ in range(sweeps):
        before = omega.copy()
        for i in range(n):
            parents = [a for a, b in arrows if b == i]
            siblings = [v for pair in joined if i in pair for v in pair if v != i]
            rest = [v for v in range(n) if v != i]
            weights = np.zeros((n, n))
            weights[np.ix_(rest, rest)] = np.linalg.inv(omega[np.ix_(rest, rest)])
            # rows are regressors as combinations of the variables
            regressors = np.vstack([np.eye(n)[parents], (weights @ (np.eye(n) - slopes))[siblings]])
            response = correlation[i] @ regressors.T
            coefficients = np.linalg.solve(regressors @ correlation @ regressors.T, response)
            slopes[i, parents] = coefficients[: len(parents)]
            omega[i, siblings] = omega[siblings, i] = coefficients[len(parents) :]
            omega[i, i] = correlation[i, i] - coefficients @ response + omega[i, rest] @ weights[np.ix_(rest, rest)] @ omega[rest, i]
        if np.abs(omega - before).max() < 1e-10:
            break
    return slopes, omega


def maximised(correlation: np.ndarray, mag: MAG) -> float:
    """The misfit of a MAG at its best, by a general optimiser."""
    n = len(mag)
    arrows, joined = edges_of(mag)

    def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
        slopes, omega = np.zeros((n, n)), np.diag(np.exp(x[:n]))
        for value, (a, b) in zip(x[n:], arrows, strict=False):
            slopes[b, a] = value
        for value, (a, b) in zip(x[n + len(arrows) :], joined, strict=True):
            omega[a, b] = omega[b, a] = value
        value = misfit(correlation, slopes, omega)
        if not np.isfinite(value):
            return 1e6, np.zeros_like(x)
        left, inverse = np.eye(n) - slopes, np.linalg.inv(omega)
        by_omega = inverse - inverse @ left @ correlation @ left.T @ inverse
        by_slopes = -2 * inverse @ left @ correlation
        gradient = [by_omega[i, i] * omega[i, i] for i in range(n)]
        gradient += [by_slopes[b, a] for a, b in arrows] + [2 * by_omega[a, b] for a, b in joined]
        return value, np.array(gradient)

    start = np.zeros(n + len(arrows) + len(joined))
    return float(minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 10_000}).fun)
