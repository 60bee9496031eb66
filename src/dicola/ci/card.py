"""A graphics card behind Fisher's z: correlations, inverses, total conditioning, blankets and low levels of searches, in PyTorch.

The card works in float64 as the kernels do, but adds in another order, so its last digits differ. A call is its own only where these
cannot matter: whatever lies nearer to the limit than ``NEAR``, or rests on a variance that is nearly used up, is decided again by the
kernel that would have decided it without a card, and counted in ``Card.again``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Bools, Floats, Ints
from dicola.errors import InvalidSetting, Sentence, Setting, counted, not_allowed
from dicola.extras import from_extra
from dicola.watch import heed

CPU = "cpu"
LEAST = 512  # variables below which the kernels answer before a card has been asked
LARGEST = 2  # variables that a level of a search conditions on by the card
NEAR = 1e-9  # a square this near to its limit, in relation, is decided again
NEAR_INVERSE = 1e-7  # the same where it comes of the inverse of a large matrix
_USED_UP = 1e-5  # a variance of which less is left is too uncertain
_TIE = 1e-9  # squared correlations this near in relation may change places
_UNDERFLOW, _LOOSE_TIE = (37.0, 39.0), 1e-2  # normal scores whose p-values have few digits left, and what is a tie there
_TILE = 4096  # columns of a tile of the correlation matrix
_AT_ONCE = 1 << 25  # numbers of one piece of work


def checked_device(device: str) -> str:
    """The device as it is written; ``InvalidSetting`` where there is none of that name."""
    name = str(device).lower()
    if name != CPU and name != "cuda" and not (name.startswith("cuda:") and name[5:].isdecimal()):
        raise not_allowed("device", device, "it may be 'cpu', 'cuda', or one card of several such as 'cuda:1'.")
    return name


def card_at(device: str) -> Card | None:
    """The card of that name; ``None`` for the processor itself.

    Raises
    ------
    MissingExtra
        PyTorch is not installed.
    InvalidSetting
        PyTorch finds no such card.

    """
    name = checked_device(device)
    if name == CPU:
        return None
    torch = from_extra("torch", "dicola[gpu]")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if count == 0:
        asked = Setting("device", name)
        raise InvalidSetting(Sentence("{asked} needs a graphics card, and PyTorch finds none here; leave out {device}.", asked=asked))
    if name != "cuda" and int(name[5:]) >= count:
        raise not_allowed("device", name, f"PyTorch finds {counted(count, 'card')} here, counted from 'cuda:0' on.")
    return Card(torch, torch.device(name))


class Level(NamedTuple):
    """What a level found of each edge: the set that separates its ends, where one does, and the verdicts it took."""

    separated: Bools
    sets: Ints
    tests: int


class Doubt(NamedTuple):
    """An edge whose calls at one end are to be decided again: its number, and whether the sets come from its second end."""

    edge: int
    second: bool


class Card:
    """A device of PyTorch that holds the correlations of one test, and their inverse.

    Everything that it is told and answers are NumPy arrays; only this class knows tensors.
    """

    largest = LARGEST

    def __init__(self, torch: Any, device: Any) -> None:
        self._torch, self._device = torch, device
        self._matrix: Any = None
        self._rows: Any = None  # in place of the matrix: the columns of the table, standardised
        self._inverse: Any = None
        self.again = 0

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("what lies on a card cannot be sent elsewhere")  # a test leaves its card behind

    def _put(self, array: NDArray[Any]) -> Any:
        writeable = array if array.flags.writeable else array.view()
        with np.errstate(all="ignore"):
            return self._torch.tensor(writeable, device=self._device) if array.size < 4096 else self._sent(array)

    def _sent(self, array: NDArray[Any]) -> Any:
        """A large array, part by part, so that no second copy of it is made on the way."""
        torch = self._torch
        there = torch.empty(array.shape, dtype=getattr(torch, str(array.dtype)), device=self._device)
        rows = max(1, _AT_ONCE // max(1, int(np.prod(array.shape[1:]))))
        for begin in range(0, len(array), rows):
            there[begin : begin + rows].copy_(torch.from_numpy(np.array(array[begin : begin + rows])))
        return there

    def _fetched(self, tensor: Any) -> Any:
        """A large matrix, back in memory."""
        found = np.empty(tuple(tensor.shape))
        rows = max(1, _AT_ONCE // max(1, tensor.shape[1]))
        for begin in range(0, len(found), rows):
            found[begin : begin + rows] = tensor[begin : begin + rows].cpu().numpy()
        return found

    def correlation_of(self, values: Floats) -> Floats | None:
        """Correlations of the columns, tile by tile, symmetric to the last bit; ``None`` where scales are extreme."""
        torch = self._torch
        columns = self._sent(values)
        columns -= columns.mean(dim=0)
        n = columns.shape[1]
        matrix = torch.empty((n, n), dtype=torch.float64, device=self._device)
        for a in range(0, n, _TILE):
            heed()
            for b in range(a, n, _TILE):
                tile = columns[:, a : a + _TILE].T @ columns[:, b : b + _TILE]
                matrix[a : a + _TILE, b : b + _TILE] = tile
                if a == b:
                    tile = tile.triu(1)
                    matrix[a : a + _TILE, a : a + _TILE].triu_().add_(tile.T)
                else:
                    matrix[b : b + _TILE, a : a + _TILE] = tile.T
        squares = matrix.diagonal().clone()
        if not bool(((squares > 1e-200) & (squares < 1e200)).all()):
            return None
        scale = squares.sqrt()
        for a in range(0, n, _TILE):
            matrix[a : a + _TILE] /= scale[a : a + _TILE, None] * scale
        matrix.fill_diagonal_(1.0)
        self._matrix = matrix
        return np.asarray(self._fetched(matrix))

    def hold(self, correlation: Floats) -> None:
        """Take correlations that were computed elsewhere."""
        self._matrix = self._sent(correlation)

    def hold_rows(self, rows: Floats) -> None:
        """Take standardised columns in place of their correlations, which are then made as they are needed and never all at once."""
        self._rows = self._sent(rows)

    @property
    def is_held(self) -> bool:
        """Does a matrix of all correlations lie here?"""
        return self._matrix is not None

    def copies(self) -> Iterator[tuple[int, int]]:
        """Pairs of columns that are copies of each other, tile by tile."""
        rows = self._rows
        for a in range(0, len(rows), _TILE):
            heed()
            for b in range(a, len(rows), _TILE):
                tile = rows[a : a + _TILE] @ rows[b : b + _TILE].T
                for i, j in (tile.abs() > 1 - 1e-12).nonzero().tolist():
                    if a + i < b + j:
                        yield a + i, b + j

    def suspects(self, left: Ints, right: Ints, separator: Ints, within: Floats, limit: float) -> tuple[Ints, Ints]:
        """Positions in ``left`` and ``right`` of all that may depend on something across, given the separator.

        ``within`` are the correlations of the separator. Whoever is left out depends on nothing; the others are to be asked about again.
        """
        torch, rows = self._torch, self._rows
        sides = []
        for side in (left, right):
            own = rows[self._put(side)]
            if len(separator):
                factor = torch.linalg.cholesky(self._put(within))
                given = rows[self._put(separator)]
                across = torch.linalg.solve_triangular(factor, given @ own.T, upper=False)
                own = own - across.T @ torch.linalg.solve_triangular(factor, given, upper=False)
            sides.append((own, (own * own).sum(dim=1)))
        (ours, our_variance), (theirs, their_variance) = sides
        bound = limit * (1.0 - NEAR)
        is_left = torch.zeros(len(left), dtype=torch.bool, device=self._device)
        is_right = torch.zeros(len(right), dtype=torch.bool, device=self._device)
        at_once = max(1, 2 * _AT_ONCE // max(1, len(right)))
        for begin in range(0, len(left), at_once):
            heed()
            piece = slice(begin, begin + at_once)
            hit = (ours[piece] @ theirs.T) ** 2 > bound * our_variance[piece, None] * their_variance
            is_left[piece] = hit.any(dim=1)
            is_right |= hit.any(dim=0)
        is_left |= (our_variance < _USED_UP) & is_right.any()
        is_right |= (their_variance < _USED_UP) & is_left.any()
        return is_left.nonzero()[:, 0].cpu().numpy(), is_right.nonzero()[:, 0].cpu().numpy()

    def inverse(self) -> Floats | None:
        """The inverse of the correlations by Cholesky; ``None`` where they are not positive definite."""
        factor, failed = self._torch.linalg.cholesky_ex(self._matrix)
        if int(failed):
            return None
        self._inverse = self._torch.cholesky_inverse(factor)
        return np.asarray(self._fetched(self._inverse))

    def related(self, limit: float, exactly: Callable[[], Floats | None]) -> Bools | None:
        """Which pairs depend given all the rest? ``None`` where some variable is determined by the others.

        ``exactly`` is the inverse without a card, asked for only where some pair is too near to the limit.
        """
        inverse = self._inverse
        if inverse is None:
            return None
        own = inverse.diagonal()
        if not bool(((own > 0.0) & (own < 1.0 / _USED_UP)).all()):
            return None
        n = len(own)
        found = np.empty((n, n), dtype=np.bool_)
        doubtful: list[NDArray[np.int64]] = []
        rows = max(1, _AT_ONCE // n)
        for begin in range(0, n, rows):
            heed()
            squares = inverse[begin : begin + rows] ** 2
            bound = limit * own[begin : begin + rows, None] * own
            found[begin : begin + rows] = (squares > bound).cpu().numpy()
            near = ((squares - bound).abs() <= NEAR_INVERSE * bound.abs()).nonzero().cpu().numpy()
            doubtful.append(near + np.array([begin, 0]))
        found.flat[:: n + 1] = False
        pairs = np.concatenate(doubtful)
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        if len(pairs):
            self.again += len(pairs)
            matrix = exactly()
            if matrix is None:
                return None
            for a, b in pairs.tolist():
                found[a, b] = found[b, a] = bool(matrix[a, b] * matrix[a, b] > limit * matrix[a, a] * matrix[b, b])
        return found

    def related_within(self, chosen: Ints, inside: Ints, limit: float) -> Bools | None:
        """Which pairs of the positions ``inside`` depend given all other variables ``chosen``? ``None`` where it is not sure."""
        found = self.precision_of(chosen, inside)
        if found is None:
            return None
        own = found.diagonal()
        squares, bound = found**2, limit * own[:, None] * own
        near = np.abs(squares - bound) <= NEAR_INVERSE * np.abs(bound)
        near.flat[:: len(near) + 1] = False
        if not ((own > 0.0) & (own < 1.0 / _USED_UP)).all() or near.any():
            self.again += int(near.sum()) // 2
            return None
        dependent = np.asarray(squares > bound)
        dependent.flat[:: len(dependent) + 1] = False
        return dependent

    def precision_of(self, chosen: Ints, inside: Ints) -> Floats | None:
        """The block of the inverse of the correlations among ``chosen`` that belongs to ``inside``; ``None`` where they are singular.

        The smaller of two systems is solved: of what was left out of the whole, or of what is given.
        """
        if self._matrix is None:
            return None
        torch, n = self._torch, len(self._matrix)
        is_gone = np.ones(n, dtype=np.bool_)
        is_gone[chosen] = False
        gone = np.flatnonzero(is_gone)
        block = self._put(chosen[inside])
        by_inverse = self._inverse is not None and 2 * len(gone) < n
        matrix = self._inverse if by_inverse else self._matrix
        rest = self._put(gone if by_inverse else np.delete(chosen, inside))
        within = matrix[block][:, block]
        if len(rest):
            factor, failed = torch.linalg.cholesky_ex(matrix[rest][:, rest])
            if int(failed):
                return None
            across = torch.linalg.solve_triangular(factor, matrix[rest][:, block], upper=False)
            within = within - across.T @ across
        found = within.cpu().numpy()
        found = (found + found.T) / 2
        if by_inverse:
            return np.asarray(found)
        try:
            return np.asarray(np.linalg.inv(found))
        except np.linalg.LinAlgError:
            return None

    def blankets(self, chosen: Ints, targets: Ints, most: int, limits: Floats, n_samples: int) -> tuple[list[Ints | None], int]:
        """Members that IAMB adds for each target, in the order in which they come; and the verdicts it took.

        ``None`` stands for a target that is to be asked about again: two members are equally strong, or one is too near to a limit.
        """
        n, matrix = len(chosen), self._among(chosen)
        added: list[Ints | None] = []
        tests = 0
        at_once = max(1, _AT_ONCE // n)
        for begin in range(0, len(targets), at_once):
            heed()
            found, used = self._grown(matrix, targets[begin : begin + at_once], most, limits, n_samples)
            added += found
            tests += used
        self.again += sum(each is None for each in added)
        return added, tests

    def _among(self, chosen: Ints) -> Any:
        """The correlations of these variables, or what makes rows of them."""
        if self._matrix is None:
            return _ByRows(self._rows if np.array_equal(chosen, np.arange(len(self._rows))) else self._rows[self._put(chosen)])
        if np.array_equal(chosen, np.arange(len(self._matrix))):
            return self._matrix
        place = self._put(chosen)
        return self._matrix[place][:, place]

    def _grown(self, matrix: Any, targets: Ints, most: int, limits: Floats, n_samples: int) -> tuple[list[Ints | None], int]:
        torch = self._torch
        n = len(matrix)
        place = self._put(targets)
        alive = torch.arange(len(targets), device=self._device)  # those that still grow, as rows of what follows
        covariance = matrix[place]
        variance = torch.ones_like(covariance)
        taken = torch.zeros(covariance.shape, dtype=torch.bool, device=self._device)
        taken[alive, place] = True
        swept: list[Any] = []  # by member: its residual with every variable, over the root of what is left of it
        members: list[list[int]] = [[] for _ in targets]
        doubtful = np.zeros(len(targets), dtype=np.bool_)
        taken_by = np.zeros(len(targets), dtype=np.int64)
        size = 0
        while len(alive) and size <= most:
            own = variance.gather(1, place[:, None])
            taken_by[alive.cpu().numpy()] += n - 1 - size
            squares = covariance**2
            bound = own * variance
            strength = torch.where(taken, -1.0, squares / bound.clamp_min(1e-300))
            top, which = strength.topk(min(2, n), dim=1)
            best, new = top[:, 0], which[:, 0]
            limit = float(limits[size])
            depends = best > limit
            near = (best - limit).abs() <= NEAR * abs(limit)
            score = torch.atanh(best.clamp(0.0, 1.0).sqrt().clamp_max(1.0 - 1e-15)) * max(n_samples - size - 3, 0) ** 0.5
            loose = (score > _UNDERFLOW[0]) & (score < _UNDERFLOW[1])
            if n > 2:
                second = top[:, 1]
                near |= depends & (second > limit) & (best - second <= best * torch.where(loose, _LOOSE_TIE, _TIE))
            near |= torch.where(taken, 1.0, variance).amin(dim=1) < _USED_UP
            near |= own[:, 0] < _USED_UP
            doubtful[alive[near].cpu().numpy()] = True
            goes_on = depends & ~near
            kept = goes_on.nonzero()[:, 0]
            alive, place, new = alive[kept], place[kept], new[kept]
            covariance, variance, taken = covariance[kept], variance[kept], taken[kept]
            swept = [each[kept] for each in swept]
            if not len(alive):
                break
            rows = torch.arange(len(alive), device=self._device)
            residual = matrix[new]
            for each in swept:
                residual = residual - each.gather(1, new[:, None]) * each
            pivot = residual.gather(1, new[:, None])
            residual = residual / pivot.sqrt()
            swept.append(residual)
            variance = variance - residual**2
            covariance = covariance - residual * residual.gather(1, place[:, None])
            taken[rows, new] = True
            for row, member in zip(alive.tolist(), new.tolist(), strict=True):
                members[row].append(member)
            size += 1
        tests = int(taken_by[~doubtful].sum())
        return [None if doubt else np.array(own, dtype=np.int64) for doubt, own in zip(doubtful.tolist(), members, strict=True)], tests

    def level(
        self,
        chosen: Ints,
        edges: Ints,
        candidates: Bools,
        tried: Bools,
        size: int,
        limit: float,
        again: Callable[[Doubt], tuple[Ints | None, int]],
    ) -> Level:
        """One order-independent level: every edge against the sets of this size from the row of its first end, then of its second.

        ``edges`` are pairs i < j; sets within row i or row j of ``tried``, which may be empty, are passed over. ``again`` decides one end
        of an edge anew: the set it found, and the verdicts it took.
        """
        torch = self._torch
        matrix = self._among(chosen)
        pools = self._put(candidates)
        old = self._put(tried) if len(tried) else None
        listed = pools.nonzero()[:, 1]
        counts = pools.sum(dim=1)
        begins = torch.cumsum(counts, 0) - counts
        separated = np.zeros(len(edges), dtype=np.bool_)
        sets = np.full((len(edges), size), -1, dtype=np.int64)
        tests = 0
        for second in (False, True) if size else (False,):
            open_edges = np.flatnonzero(~separated)
            owner = edges[open_edges, int(second)]
            many = counts.cpu().numpy()[owner] if size else np.zeros(len(owner), dtype=np.int64)
            order = np.argsort(many, kind="stable")
            order = order[many[order] >= size]
            for piece in _pieces(many[order], size):
                heed()
                numbers = open_edges[order[piece]]
                ends = self._put(edges[numbers])
                width = int(many[order[piece.stop - 1]]) if size else 0
                found, which, used, doubt = self._searched(matrix, ends, (listed, begins, counts, width), pools, old, size, limit, second)
                for at in np.flatnonzero(doubt).tolist():
                    self.again += 1
                    other, more = again(Doubt(int(numbers[at]), second))
                    found[at], used[at] = other is not None, more
                    if other is not None:
                        which[at] = other
                tests += int(used.sum())
                separated[numbers[found]] = True
                sets[numbers[found]] = which[found]
        return Level(separated, sets, tests)

    def _searched(
        self, matrix: Any, ends: Any, rows: tuple[Any, Any, Any, int], pools: Any, old: Any, size: int, limit: float, second: bool
    ) -> tuple[Bools, Ints, Ints, Bools]:
        """Of each edge: does some set separate it, the first that does, the verdicts up to it, and is one of these in doubt?"""
        torch = self._torch
        i, j = ends[:, 0], ends[:, 1]
        listed, begins, counts, width = rows
        xy = matrix[i, j][:, None]
        one = torch.ones_like(xy)
        if size == 0:
            members = torch.empty((len(i), 1, 0), dtype=torch.int64, device=self._device)
            asked = torch.ones((len(i), 1), dtype=torch.bool, device=self._device)
            return self._first(xy, one, one, asked, torch.zeros_like(asked), members, limit)
        owner = j if second else i
        offsets = torch.arange(width, device=self._device)
        there = offsets < counts[owner][:, None]
        v = listed[(begins[owner][:, None] + offsets).clamp_max(len(listed) - 1)]
        there &= (v != i[:, None]) & (v != j[:, None])
        part = torch.zeros(v.shape, dtype=torch.uint8, device=self._device)
        if old is not None:
            part |= old[i[:, None], v].to(torch.uint8) | (old[j[:, None], v].to(torch.uint8) << 1)
        if second:
            part |= pools[i[:, None], v].to(torch.uint8) << 2
        at_x, at_y = matrix[i[:, None], v], matrix[j[:, None], v]
        if size == 1:
            asked = there & (part == 0)
            return self._first(xy - at_x * at_y, one - at_x * at_x, one - at_y * at_y, asked, torch.zeros_like(asked), v[:, :, None], limit)
        a, b = torch.triu_indices(width, width, 1, device=self._device)
        asked = there[:, a] & there[:, b] & ((part[:, a] & part[:, b]) == 0)
        ab = matrix[v[:, a], v[:, b]]
        pivot = 1.0 - ab * ab
        unsure = pivot < _USED_UP
        pivot = pivot.clamp_min(_USED_UP)
        left_x, left_y = at_x[:, b] - at_x[:, a] * ab, at_y[:, b] - at_y[:, a] * ab
        cov = xy - at_x[:, a] * at_y[:, a] - left_x * left_y / pivot
        var_x = one - at_x[:, a] ** 2 - left_x**2 / pivot
        var_y = one - at_y[:, a] ** 2 - left_y**2 / pivot
        return self._first(cov, var_x, var_y, asked, unsure, torch.stack((v[:, a], v[:, b]), dim=2), limit)

    def _first(
        self, cov: Any, var_x: Any, var_y: Any, asked: Any, unsure: Any, members: Any, limit: float
    ) -> tuple[Bools, Ints, Ints, Bools]:
        squares, bound = cov * cov, limit * var_x * var_y
        unsure = unsure | (var_x < _USED_UP) | (var_y < _USED_UP) | ((squares - bound).abs() <= NEAR * bound.abs())
        separates = asked & ~(squares > bound)
        found = separates.any(dim=1)
        first = separates.to(self._torch.uint8).argmax(dim=1)
        before = asked.cumsum(dim=1)
        last = self._torch.where(found, first, asked.shape[1] - 1)
        used = before.gather(1, last[:, None])[:, 0]
        offsets = self._torch.arange(asked.shape[1], device=self._device)
        doubt = (asked & unsure & (offsets <= last[:, None])).any(dim=1)
        which = members[self._torch.arange(len(first), device=self._device), first]
        return found.cpu().numpy(), which.cpu().numpy(), used.cpu().numpy(), doubt.cpu().numpy()


class _ByRows:
    """Rows of a correlation matrix, made as they are asked for."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, places: Any) -> Any:
        return self._rows[places] @ self._rows.T


def _pieces(many: Ints, size: int) -> Iterator[slice]:
    """Edges in the order of their candidates, in pieces that fit the card: each is as wide as its last one."""
    begin = 0
    while begin < len(many):
        end = len(many)
        while end - begin > 1 and (end - begin) * _sets(int(many[end - 1]), size) > _AT_ONCE:
            end = begin + (end - begin + 1) // 2
        yield slice(begin, end)
        begin = end


def _sets(candidates: int, size: int) -> int:
    return 1 if size == 0 else candidates if size == 1 else max(1, candidates * (candidates - 1) // 2)
