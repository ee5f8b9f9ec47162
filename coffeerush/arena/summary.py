"""The result of an arena: one summary per bot, made of the results of its blocks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf
from statistics import fmean

from msgspec import Struct

from .game import BotResult
from .plan import ArenaPlan, BlockResult
from .statistics import Estimate, estimate, is_difference, win_shares
from .strengths import Choices, choices_of, strengths


class Summary(Struct, frozen=True):
    """The results of one entry over all games, as `--json` prints it.

    Everything but `games` and `wins` is averaged over all entries of the same bot. `low` and `high`
    are the ends of a 95% confidence interval. If there is only one block, those of the share are 0
    and 1, and those of the score null in JSON and empty in CSV.
    """

    entry: int
    bot: str
    games: int
    blocks: int
    wins: int
    """Games with rank 1; a shared victory counts for each winner (R-END-3)."""
    share: float
    """The share of all victories; a shared one is split equally between the winners."""
    low: float
    high: float
    score: float
    score_low: float
    score_high: float
    strength: float
    """In points: 400 more are ten times the strength in the Plackett-Luce model, 0 is average."""
    strength_low: float
    strength_high: float
    completed: float
    penalties: float
    upgrades: float


class Comparison:
    """The results of an arena.

    Args:
        plan: of the arena.
        blocks: in any order; those without a finished game do not count.
    """

    def __init__(self, plan: ArenaPlan, blocks: Sequence[BlockResult]) -> None:
        self.plan = plan
        self.blocks = [block for block in sorted(blocks, key=lambda one: one.block) if block.games]
        shares = [block_shares(plan, block) for block in self.blocks]
        self.shares = [*zip(*shares, strict=True)] if shares else []
        """The share of each entry in each block."""

    @property
    def games(self) -> int:
        """The number of finished games."""
        return sum(len(block.games) for block in self.blocks)

    @cached_property
    def summaries(self) -> list[Summary]:
        """The summary of each entry that has finished a game."""
        bots = self.plan.bots
        kinds = sorted(set(bots))
        found = self._strengths(kinds) if self.blocks else []
        return [
            self._summary(entry, found[kinds.index(bots[entry])])
            for entry in range(len(bots))
            if any(self._results(block, bots[entry]) for block in self.blocks)
        ]

    def _strengths(self, kinds: Sequence[str]) -> list[Estimate]:
        numbers = [kinds.index(bot) for bot in self.plan.bots]
        blocks = []
        for block in self.blocks:
            choices: Choices = Counter()
            for game in block.games:
                choices.update(choices_of(numbers, game.results))
            blocks.append(choices)
        return strengths(len(kinds), blocks)

    def _results(self, block: BlockResult, bot: str) -> list[BotResult]:
        return [
            one for game in block.games for one in game.results if self.plan.bots[one.entry] == bot
        ]

    def _summary(self, entry: int, strength: Estimate) -> Summary:
        bot = self.plan.bots[entry]
        by_block = [found for block in self.blocks if (found := self._results(block, bot))]
        alike = [one for found in by_block for one in found]
        own = [one for one in alike if one.entry == entry]
        share = estimate(self.shares[entry])
        score = estimate([fmean(one.score for one in found) for found in by_block], -inf, inf)
        return Summary(
            entry=entry,
            bot=bot,
            games=len(own),
            blocks=len(self.blocks),
            wins=sum(one.rank == 1 for one in own),
            share=share.mean,
            low=share.low,
            high=share.high,
            score=score.mean,
            score_low=score.low,
            score_high=score.high,
            strength=strength.mean,
            strength_low=strength.low,
            strength_high=strength.high,
            completed=fmean(one.completed for one in alike),
            penalties=fmean(one.penalties for one in alike),
            upgrades=fmean(one.upgrades for one in alike),
        )

    def undecided(self, ranked: Sequence[Summary]) -> Iterator[tuple[str, str]]:
        """Yield the bots that follow each other in a ranking, but may as well be equal."""
        for better, worse in pairwise(ranked):
            if better.bot != worse.bot and not is_difference(
                self.shares[better.entry], self.shares[worse.entry]
            ):
                yield better.bot, worse.bot


def block_shares(plan: ArenaPlan, block: BlockResult) -> tuple[float, ...]:
    """Return each entry's share of the victories in a block with finished games; their sum is 1."""
    games = [win_shares(plan.bots, game.results) for game in block.games]
    return tuple(fmean(entry) for entry in zip(*games, strict=True))


def ranking(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries, best first."""
    return sorted(summaries, key=lambda one: (-one.share, -one.score))
