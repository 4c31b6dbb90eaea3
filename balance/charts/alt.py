"""What a chart shows, in a sentence with its numbers: for screen readers, and under the chart."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from balance.charts.rows import Measure
from balance.charts.seats import SCORE, WIN_SHARE
from balance.charts.tiles import VP_PER_TILE, WIN_SHARE_PER_COPY
from balance.scenario.describe import tile_name


def with_interval(row: pd.Series, measure: Measure) -> str:
    """Return "4.92 (95% interval 4.89 to 4.96)", or why there is no interval."""
    value, low, high = (row[f"{measure.column}{end}"] for end in ("", "_low", "_high"))
    if pd.isna(value):
        return "no data"
    if pd.isna(low) or pd.isna(high):
        return f"{measure.form(value)} (too few for an interval)"
    return f"{measure.form(value)} (95% interval {measure.form(low)} to {measure.form(high)})"


def services_alt(services: pd.DataFrame, mean: float) -> str:
    """Name the Services that score most and least."""
    most, least = services["vp_per_tile"].idxmax(), services["vp_per_tile"].idxmin()
    first = f"{tile_name(most)} scores {with_interval(services.loc[most], VP_PER_TILE)} VP per tile placed"
    if len(services) == 1:
        return f"{first}. It is the only Service."
    last = f"{tile_name(least)} the least: {with_interval(services.loc[least], VP_PER_TILE)}"
    return f"{first}, the most; {last}. The mean of the {len(services)} Services is {VP_PER_TILE.form(mean)}."


def win_share_alt(tiles: pd.DataFrame) -> str:
    """Name the tiles whose copies go with the most and the fewest wins."""
    slopes = tiles["win_share_per_copy"].dropna()
    if slopes.max() == slopes.min():
        return "No tile goes with more or fewer wins: who wins does not depend on the tiles here."
    most, least = (tiles.loc[tile] for tile in (slopes.idxmax(), slopes.idxmin()))
    return (
        f"Each copy placed goes with {with_interval(most, WIN_SHARE_PER_COPY)} percentage points of the win share for "
        f"{tile_name(most.name)}, the most, and {with_interval(least, WIN_SHARE_PER_COPY)} for "
        f"{tile_name(least.name)}, the least. This is an association, not what the tile causes."
    )


def seats_alt(seats: pd.DataFrame) -> str:
    """Name the seats that win most and least, for each policy."""
    equal = WIN_SHARE.form(float(seats["equal_share"].iloc[0]))
    policies = list(dict.fromkeys(seats.index.get_level_values("policy")))
    parts = [_best_and_worst_seat(seats.loc[policy], f"{policy}: " if len(policies) > 1 else "") for policy in policies]
    return f"{' '.join(parts)} An equal share would be {equal}."


def policies_alt(policies: pd.DataFrame) -> str:
    """Say how often each policy wins, and what it scores."""
    parts = [
        f"{policy} wins {with_interval(row, WIN_SHARE)} and scores {SCORE.form(row['score'])} VP"
        for policy, row in policies.iterrows()
    ]
    return f"{'; '.join(parts)}. An equal share would be {WIN_SHARE.form(float(policies['equal_share'].iloc[0]))}."


def scores_alt(results: pd.DataFrame, histogram: pd.DataFrame) -> str:
    """Say how far the scores reach, and the mean of each seat, or of each policy if there are several."""
    means = [f"{_who(key)} {SCORE.form(row['score'])}" for key, row in results.iterrows()]
    lowest, highest = histogram.index.min(), histogram.index.max()
    return f"Final scores reach from {lowest} to {highest} VP. Means: {', '.join(means)}."


def margins_alt(margins: pd.DataFrame) -> str:
    """Say how many games were shared, and which margin was the most frequent."""
    usual = margins["share"].idxmax()
    return (
        f"{WIN_SHARE.form(margins['share'].get(0, 0.0))} of the games end in a shared win. The most frequent margin is "
        f"{usual} VP ({WIN_SHARE.form(margins.loc[usual, 'share'])} of the games), the widest {margins.index.max()} VP."
    )


def arc_alt(arc: pd.DataFrame) -> str:
    """Give the mean scores at the end of the game, by seat."""
    last = arc.groupby(level=["policy", "seat"]).tail(1)["score"]
    policies = list(dict.fromkeys(last.index.get_level_values("policy")))
    parts = []
    for policy in policies:
        ends = last.xs(policy, level="policy")
        seats = ", ".join(f"seat {seat} {SCORE.form(end)}" for (seat, _), end in ends.items())
        parts.append(f"{policy}: {seats}" if len(policies) > 1 else seats)
    return f"Mean score in VP after turn {arc.index.get_level_values('turn').max()}: {'; '.join(parts)}."


def revenue_alt(revenue: pd.DataFrame) -> str:
    """Give the share of the Zones in range that score, and what denies the others."""
    parts = [f"{rule} {WIN_SHARE.form(row['share'])}" for rule, row in revenue.iterrows() if pd.notna(row["share"])]
    return f"Of the Zones in range of a Service as it is placed: {', '.join(parts)}."


def limits_alt(limits: pd.DataFrame, everything: pd.Series) -> str:
    """Name the placement limit that forbids most, and what all forbid together."""
    first = limits.iloc[0]
    rule = str(first.name).removesuffix(", alone").replace("_", " ")
    return (
        f"All limits together forbid {WIN_SHARE.form(everything['share'])} of the pairs of a type in hand and an open "
        f"square; the most comes from: {rule}, {WIN_SHARE.form(first['share'])}."
    )


def board_alt(board: pd.DataFrame, tiles: list[str]) -> str:
    """Name the squares where each tile is placed most often, and where it scores most."""
    parts = []
    for tile in tiles:
        squares = board.xs(tile, level="tile")
        row, column = squares["placed_per_game"].idxmax()
        best_row, best_column = squares["vp_per_tile"].idxmax()
        parts.append(
            f"{tile_name(tile)} is placed most often in row {row}, column {column} "
            f"({squares['placed_per_game'].max():.3f} per game) and scores most in row {best_row}, "
            f"column {best_column} "
            f"({squares['vp_per_tile'].max():.1f} VP per tile)."
        )
    return " ".join(parts)


def _best_and_worst_seat(seats: pd.DataFrame, who: str) -> str:
    best, worst = seats["win_share"].idxmax(), seats["win_share"].idxmin()
    first = f"{who}Seat {best} wins {with_interval(seats.loc[best], WIN_SHARE)}"
    if best == worst:
        return f"{first}{' in every seat' if len(seats) > 1 else ''}."
    return f"{first}, the most; seat {worst} the least: {with_interval(seats.loc[worst], WIN_SHARE)}."


def _who(key: Hashable) -> str:
    """Return the seat of a key (policy, seat), or the policy."""
    return f"seat {key[1]}" if isinstance(key, tuple) else str(key)


def marginal_alt(tiles: pd.DataFrame, measure: Measure) -> str:
    """Name the tiles that add most and least; the table is sorted."""
    first, last = tiles.iloc[0], tiles.iloc[-1]
    if len(tiles) == 1:
        return f"{tile_name(first.name)} adds {with_interval(first, measure)} VP."
    return (
        f"{tile_name(first.name)} adds most, {with_interval(first, measure)} VP a tile, "
        f"{tile_name(last.name)} least, {with_interval(last, measure)}."
    )


def city_map_alt(spaces: pd.DataFrame, tiles: list[str]) -> str:
    """Name the space where each tile scores most."""
    parts = []
    for tile in tiles:
        vp = spaces.xs(tile, level="tile")["vp_per_building"]
        if vp.notna().any():
            row, column = vp.idxmax()
            parts.append(f"{tile_name(tile)} scores most in row {row}, column {column} ({vp.max():.1f} VP)")
    return f"{'; '.join(parts)}."


def rules_alt(rules: pd.DataFrame, measure: Measure) -> str:
    """Name the rules that give most and take most; the table is sorted."""
    first, last = rules.iloc[0], rules.iloc[-1]
    return (
        f"{tile_name(first.name)} give most, {with_interval(first, measure)} VP per player and game; "
        f"lowest is {tile_name(last.name)} with {with_interval(last, measure)}."
    )


def feeds_alt(feeds: pd.DataFrame) -> str:
    """Name the three strongest pairs."""
    pairs = feeds.stack().sort_values(ascending=False).head(3)
    words = [f"{tile_name(giver)} makes {tile_name(scorer)} earn {vp:.1f} VP" for (giver, scorer), vp in pairs.items()]
    return f"Per game, all players together: {'; '.join(words)}."
