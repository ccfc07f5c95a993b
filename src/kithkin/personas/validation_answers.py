"""What a human's words decide about each thing they were asked: keep, move, remove, or unclear.

Words that choose ("the first", "2 and 3", "the rest", a name) are joined with words that decide
("real", "just role-play", "remove"). Nothing is guessed: what is hedged, contradicts itself or
names nothing that was asked stays unclear, and a thing is removed only where a word says so.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from kithkin.personas.model import Asked, Verdict
from kithkin.personas.validation_words import Chosen, Decided, Sign, Stop, signs_in

UNCLEAR: Verdict = "unclear"
_Selection = frozenset[int]


class _Claim(Struct, frozen=True):
    """A verdict and what it is said of; None when nothing was chosen, as in "role-play"."""

    verdict: Verdict
    chosen: _Selection | None
    rest: bool = False


def read_answers(text: str, asked: Sequence[Asked]) -> tuple[Verdict, ...]:
    """A verdict for each thing asked, in the order it was asked."""
    reading = signs_in(text, asked)
    if reading is None:
        return (UNCLEAR,) * len(asked)
    found: list[set[Verdict]] = [set() for _ in asked]
    rests: list[_Claim] = []
    for claim in _claims(reading.signs):
        if claim.rest:
            rests.append(claim)
            continue
        for index in _said_of(claim, len(asked), is_bare=reading.is_bare):
            found[index].add(claim.verdict)
    _give_the_rest(found, rests)
    return tuple(verdicts.pop() if len(verdicts) == 1 else UNCLEAR for verdicts in found)


def disposed(text: str, proposed: Sequence[Verdict], asked: Sequence[Asked]) -> tuple[Verdict, ...]:
    """What a model read, as far as the rule allows it.

    The rule's own reading stands. Where it is unclear a model may say keep or move; removing
    needs a word for it that the rule saw, so a model alone never deletes anything.
    """
    read = read_answers(text, asked)
    if len(proposed) != len(read):
        return read
    return tuple(
        mine if mine != UNCLEAR or theirs == "remove" else theirs
        for mine, theirs in zip(read, proposed, strict=True)
    )


def _said_of(claim: _Claim, count: int, *, is_bare: bool) -> Iterable[int]:
    if claim.chosen is not None:
        return claim.chosen
    # A bare "remove" among several names none of them; a bare "real" is said of all.
    return range(count) if count == 1 or (is_bare and claim.verdict != "remove") else ()


def _give_the_rest(found: list[set[Verdict]], rests: Sequence[_Claim]) -> None:
    left = [verdicts for verdicts in found if not verdicts]
    for claim in rests:
        for verdicts in left:
            verdicts.add(claim.verdict)


def _claims(signs: Sequence[Sign]) -> Iterable[_Claim]:
    """Join each verdict with what it is said of: what stands beside it, before or after."""
    verdicts = [at for at, sign in enumerate(signs) if isinstance(sign, Decided)]
    taken: set[int] = set()
    for number, at in enumerate(verdicts):
        before = verdicts[number - 1] if number else -1
        after = verdicts[number + 1] if number + 1 < len(verdicts) else len(signs)
        sign = signs[at]
        if not isinstance(sign, Decided):
            continue
        left = _free(signs, range(before + 1, at), taken)
        right = _free(signs, range(at + 1, after), taken)
        if after < len(signs) and right:
            right = _before_the_next(signs, right, after)
        chosen = _ordered(at, left, right) if sign.orders else left or right
        if chosen is None:
            continue
        taken.update(chosen)
        yield _claim(sign, [signs[index] for index in chosen])


def _free(signs: Sequence[Sign], span: range, taken: set[int]) -> list[int]:
    return [at for at in span if isinstance(signs[at], Chosen) and at not in taken]


def _before_the_next(signs: Sequence[Sign], right: list[int], after: int) -> list[int]:
    """Of what stands between two verdicts, what belongs to the first: up to the last pause.

    "Keep 1, 2 is role-play": the next verdict states something of the 2.
    """
    nxt = signs[after]
    if not isinstance(nxt, Decided) or nxt.orders:
        return right
    pauses = [at for at in range(right[0], after) if isinstance(signs[at], Stop)]
    return [at for at in right if pauses and at < pauses[-1]]


def _ordered(at: int, left: list[int], right: list[int]) -> list[int] | None:
    """What an order is about: what it stands before, or right after; None when it may be either."""
    follows, precedes = at - 1 in left, at + 1 in right
    if follows and precedes:
        return None
    return left if follows else right or left


def _claim(sign: Decided, chosen: Sequence[Sign]) -> _Claim:
    those = [one for one in chosen if isinstance(one, Chosen)]
    if not those:
        return _Claim(sign.verdict, None)
    if any(one.rest for one in those):
        return _Claim(sign.verdict, None, rest=True)
    return _Claim(sign.verdict, frozenset(index for one in those for index in one.items))
