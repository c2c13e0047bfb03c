"""The workload of the speed benches: short facts with a unique ticket, questions that name it, a free embedding.

Standard library only, so that a peer's own environment can run it.
"""

import itertools
import random
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

DIMENSIONS = 256
FIRST_TICKET = 100_000

_FIRST = (
    "Hanna Ruben Mila Oscar Nadia Tomas Ines Jonas Petra Viktor Leila Anton Greta Samir Olga Felix Rosa Emil Dana Karl"
)
_LAST = (
    "Weber Costa Novak Lind Haddad Moreau Silva Berg Kovac Rossi Dahl Pinto Krause Okoro Larsen Vega Stone Marsh Ito"
)
_VERBS = "stores repairs orders ships inspects paints lends borrows cleans measures labels packs"
_LOOKS = "copper tin oak blue narrow heavy spare folded painted cracked round steel striped woven amber hollow"
_THINGS = "kettle lamp ladder bench crate drum mirror valve saddle anchor lantern barrel pulley basket hinge trowel"
_PLACES = (
    "in the north workshop|in the south depot|for the harbour office|before the spring fair|after the night shift"
    "|on the upper floor|behind the old mill|for the school project|during the audit|at the river station"
    "|near the loading dock|with the evening crew"
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of about seventy characters."""

    subject: str
    predicate: str
    thing: str
    context: str
    ticket: int

    @property
    def text(self) -> str:
        """The sentence."""
        return f"{self.subject} {self.predicate} the {self.thing} {self.context}, ticket {self.ticket}."

    @property
    def query(self) -> str:
        """A question that names subject, predicate, object and ticket."""
        return f"Is it true that {self.subject} {self.predicate} the {self.thing}, ticket {self.ticket}?"

    @property
    def structure(self) -> dict[str, str]:
        """Subject, predicate and object; the ticket keeps each fact apart from every other."""
        return {"subject": self.subject, "predicate": self.predicate, "object": f"{self.thing} {self.ticket}"}


def facts(seed: int = 7) -> Iterator[Fact]:
    """Facts without end, each with the next ticket, the same ones for the same seed."""
    chosen = random.Random(seed)
    first, last, verbs = _FIRST.split(), _LAST.split(), _VERBS.split()
    looks, things, places = _LOOKS.split(), _THINGS.split(), _PLACES.split("|")
    for ticket in itertools.count(FIRST_TICKET):
        yield Fact(
            f"{chosen.choice(first)} {chosen.choice(last)}",
            chosen.choice(verbs),
            f"{chosen.choice(looks)} {chosen.choice(things)}",
            chosen.choice(places),
            ticket,
        )


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def embedding(text: str) -> list[float]:
    """A unit vector made by hashing words: it costs nothing, and the same words lie close together."""
    vector = [0.0] * DIMENSIONS
    for word in words(text):
        hashed = zlib.crc32(word.encode())
        vector[hashed % DIMENSIONS] += 1.0 if hashed & 0x10000 else -1.0
    norm = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / norm for value in vector]


def packed(text: str) -> bytes:
    """The embedding as one signed byte a dimension."""
    return bytes(round(value * 127) & 0xFF for value in embedding(text))
