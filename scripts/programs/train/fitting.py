"""Fit weights to trajectories: least-squares temporal differences, LSTD(decay), with a small ridge.

The positions of a game share one result, so its luck is in all of them. A decay below 1 lets the
value of the following position stand for a part of the result. With decay 1, LSTD is ordinary ridge
regression on results. Source: Boyan, Technical update: least-squares temporal difference learning
(Machine Learning 49, 2002).
"""

import numpy as np
from numpy.typing import NDArray

from coffeerush.bots.values import COUNTS, SeatWeights

from .games import Position, Trajectory

RIDGE = 20.0
DIGITS = 5
Matrix = NDArray[np.float64]


class Sums:
    """Sums over trajectories, from which weights are solved; those of several blocks add up."""

    def __init__(self, players: int) -> None:
        self.open, closed = COUNTS[players]
        size = self.open + closed
        self.squares = np.zeros((size, size))
        """Of the features, for the error."""
        self.products = np.zeros(size)
        self.results = np.zeros(3)
        """Count, sum and sum of squares of the results."""
        self.differences = np.zeros((size, size))
        self.rewards = np.zeros(size)

    def add(self, trajectory: Trajectory, decay: float) -> None:
        """Add a trajectory."""
        rows = np.array([self._row(position) for position in trajectory.positions])
        if not len(rows):
            return
        self.squares += rows.T @ rows
        self.products += rows.sum(axis=0) * trajectory.result
        self.results += len(rows) * np.array([1.0, trajectory.result, trajectory.result**2])
        eligible = np.zeros(rows.shape[1])
        following = np.vstack([rows[1:], np.zeros(rows.shape[1])])
        for row, after in zip(rows, following, strict=True):
            eligible = decay * eligible + row
            self.differences += np.outer(eligible, row - after)
        self.rewards += eligible * trajectory.result

    def _row(self, position: Position) -> list[float]:
        opened, closed = [0.0] * self.open, [0.0] * (len(self.products) - self.open)
        return opened + position.features if position.closed else position.features + closed

    def __iadd__(self, other: "Sums") -> "Sums":
        self.squares += other.squares
        self.products += other.products
        self.results += other.results
        self.differences += other.differences
        self.rewards += other.rewards
        return self

    def fade(self, share: float) -> None:
        """Let what has been added so far count less."""
        self.differences *= share
        self.rewards *= share

    def solved(self) -> SeatWeights:
        """Return the weights that fit best."""
        penalty = RIDGE * np.eye(len(self.rewards))
        weights = np.linalg.solve(self.differences + penalty, self.rewards)
        rounded = [round(float(weight), DIGITS) for weight in weights]
        return SeatWeights(tuple(rounded[: self.open]), tuple(rounded[self.open :]))

    def explained(self, weights: SeatWeights) -> float:
        """Return the share of the variance of the results that `weights` explain (R2)."""
        fitted: Matrix = np.array([*weights.open, *weights.closed])
        count, total, squares = self.results
        error = squares - 2 * fitted @ self.products + fitted @ self.squares @ fitted
        variance = squares - total**2 / max(count, 1)
        return float(1 - error / variance) if variance else 0.0
