"""What was rejected, and what only resembles it: the sentences of bench/tombstones.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Fact(NamedTuple):
    """A rejected value, and what is needed to write sentences around it."""

    subject: str
    alias: str
    predicate: str
    value: str
    says: str
    """The sentence, with {s} and {v}."""
    other_value: str
    other_subject: str
    paraphrase: str
    own: tuple[str, ...]
    """Sentences that name subject or value and say something else."""


FACTS = (
    Fact("Ana", "Annie", "lives_in", "Berlin", "{s} lives in {v}", "Lisbon", "Ben", "Her home is the German capital",
         ("Berlin has four opera houses.", "Ana was late again.", "Ana sent the Berliner a postcard.",
          "The Berlin office closes at six. Ana is on holiday.", "Ana collects stamps from Bern.",
          "Berlin Avenue is closed; the bus takes the ring road.")),
    Fact("auth-service", "the login service", "uses_database", "PostgreSQL 16", "{s} uses {v}", "PostgreSQL 15",
         "billing-service", "Logins are kept in the sixteenth Postgres",
         ("PostgreSQL 16 is out of support in 2028.", "auth-service had 16 restarts.", "auth-service moved to Redis.",
          "The PostgreSQL 16.4 notes are long.", "auth-service speaks to postgres by TLS.",
          "Ask the PostgreSQL team about version 16.")),
    Fact("Ben Silva", "Benny", "works_at", "Acme", "{s} works at {v}", "Globex", "Cleo", "He earns his bread there",
         ("Acme hires in spring.", "Ben Silva resigned last week.", "Acmeist poets met in 1912.",
          "Ben Silva bought an anvil.", "Ben Silva is not reachable today.", "Acme and Globex merged.")),
    Fact("gate", "the north gate", "code", "4711", "the {s} code is {v}", "8822", "vault", "The usual digits open it",
         ("Eau de Cologne is called 4711.", "The gate squeaks.", "Ticket 47110 is about the gate.",
          "The gate has 471 bolts.", "Room 4711 has a view.", "Oil the gate every May.")),
    Fact("Crumb", "the backup tool", "keeps", "30 days", "{s} keeps backups for {v}", "14 days", "Loaf",
         "It forgets after a month",
         ("30 days has September.", "Crumb is written in Go.", "Crumb ran 30 times.", "Crumb keeps 30 copies.",
          "Payment is due in 30 days.", "Crumb stops after 30 minutes.")),
    Fact("Dan", "Daniel", "prefers", "oat milk", "{s} prefers {v}", "soy milk", "Eve", "No cow for his coffee",
         ("Oat milk is sold out.", "Dan prefers oat cookies.", "Dan drinks milk.", "Eve brought oat milk.",
          "Dan is away. The oat milk is in the fridge.", "The milkman knows Dan.")),
    Fact("launch", "the release", "deadline", "2026-05-09", "the {s} deadline is {v}", "2026-06-01", "audit",
         "It has to be out on the day before Mother's Day",
         ("9 May 2026 is a Saturday.", "The launch is on track.", "The launch slips if 5 of 9 tests fail.",
          "May 2026 will be dry.", "Dan marries on 2026-05-09.", "The launch needs a cake.")),
    Fact("printer", "the big printer", "port", "9100", "the {s} listens on port {v}", "631", "scanner",
         "It takes jobs where printers usually do",
         ("The printer costs 9,100.50 euros.", "Port 9100 is blocked in the lab.", "The printer is out of paper.",
          "The printer printed 910 pages.", "9100 people came.", "The port of Lisbon has a printer.")),
    Fact("Felix", "Felix the cook", "born_on", "1984-02-29", "{s} was born on {v}", "1984-03-01", "Gina",
         "His birthday comes every four years",
         ("29 February 1984 was a Wednesday.", "Felix is a cat's name.", "Felix was born in Graz.",
          "Gina was born on 1984-02-29.", "Felix turned forty.", "1984 is a novel.")),
    Fact("river path", "the towpath", "status", "flooded", "the {s} is {v}", "open", "old road",
         "You need boots to walk along the water",
         ("The cellar is flooded.", "The river path is steep.", "The market was flooded with coins.",
          "The river path gets new lamps.", "Flooded fields attract storks.", "Walk the river path at dawn.")),
    Fact("Hana", "Hanna", "owns", "a red canoe", "{s} owns {v}", "a blue canoe", "Ivo", "She has a boat of that colour",
         ("A red canoe drifted by.", "Hana owns a canoe.", "Hana paints canoes.", "The red one is Ivo's.",
          "Hana sold the red kayak.", "Red canoes are rare.")),
    Fact("team lunch", "the lunch", "located_in", "Luigi's", "the {s} is at {v}", "the park", "retro",
         "We eat with the Italian",
         ("Luigi's is closed on Mondays.", "The team lunch is at noon.", "Luigi called.", "Team lunch costs ten euros.",
          "Book Luigi's for the retro.", "The team lunch needs a vegan dish.")),
    Fact("Ivo", "Ivan", "seat", "14C", "{s} sits in {v}", "14D", "Jana", "He has the aisle in the fourteenth row",
         ("Seat 14C is broken.", "Ivo has 14 cats.", "Ivo pays 14 a month.", "Ivo lives at 114 C Street.",
          "Ivo keeps 14 C-clamps in a box.", "Ivo reads C, page 14.")),
    Fact("cooler", "the big fridge", "runs_at", "14 C", "the {s} runs at {v}", "9 C", "oven",
         "It is set to fourteen degrees",
         ("14 C is warm for milk.", "The cooler has 14 cables.", "The cooler costs 14 a day.", "The cooler is a 14D.",
          "The cooler hums at 114 Hz.", "The cooler ran for 14 crates.")),
    Fact("hall", "the big hall", "gate", "B-12", "the {s} is behind gate {v}", "B-13", "lounge",
         "It is where the twelfth door of row two leads",
         ("B-12 is a vitamin.", "The hall has a 12 foot wall.", "The hall seats b 120 guests.",
          "The hall holds 12 B flats.", "The hall needs vitamin D.")),
)  # fmt: skip


class Written(NamedTuple):
    """A sentence of one class."""

    kind: str
    text: str


def near_misses(fact: Fact) -> Iterator[Written]:
    """Legitimate sentences beside a rejected one."""
    said, other = fact.says.format(s=fact.subject, v=fact.value), fact.says.format(s=fact.subject, v=fact.other_value)
    elsewhere = fact.says.format(s=fact.other_subject, v=fact.value)
    yield Written("same subject, other value", other)
    yield Written("same subject, other value", f"I checked twice: {other}.")
    yield Written("same value, other subject", elsewhere)
    yield Written("same value, other subject", f"As far as I know, {elsewhere}.")
    yield Written("apart in two sentences", f"{other}. That {fact.value} was somebody else's.")
    yield Written("apart in two sentences", f"Ask {fact.subject}. {elsewhere}.")
    yield Written("a paraphrase", fact.paraphrase)
    yield Written("a negation", f"It is not true that {said}.")
    yield Written("a negation", f"{fact.subject} has nothing to do with {fact.value}.")
    yield Written("a question", f"Who says that {said}?")
    yield Written("a question", f"Is {fact.value} still written down for {fact.subject}?")
    yield Written("a quoted policy", f"Policy 7: nobody may note {fact.value} for {fact.subject} again.")
    for text in fact.own:
        yield Written("subject or value alone", text)
