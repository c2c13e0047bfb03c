"""An entry is a hashed skeleton without words, and an erasable body that holds them (design 03).

Every name in a skeleton is a keyed digest. The fold reads skeletons only, so erasing a body changes no standing.
"""

from __future__ import annotations

from typing import Final, Literal, cast

import msgspec

from firsthand.vocabulary.kinds import Basis, EntryKind, FeedbackOutcome, Kind, PeerTrust, Polarity, Role
from firsthand.vocabulary.records import Payload

FORMAT_VERSION: Final = 1


class Edge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a skeleton."""


class AuthorIds(Edge, frozen=True, omit_defaults=False):
    """The author, opaque: actor, owner, session and device are keyed digests."""

    actor: str
    owner: str
    role: Role
    harness: str
    model: str | None
    session: str | None
    device: str | None


class Claim(Edge, frozen=True):
    """What is claimed, as keyed digests. Validity is not part of it (design 09.1).

    A plain sentence has an empty subject and predicate. `one` is the predicate's cardinality, which is also hashed
    into `predicate`, so a slot never mixes cardinalities. An `ambiguous` claim names a subject that several entities
    share: it waits for review, and closes and disputes nothing (design 09.13).
    """

    value: str
    subject: str = ""
    predicate: str = ""
    polarity: Polarity = "+"
    conditions: str = ""
    one: bool = False
    ambiguous: bool = False


class Assertion(Edge, frozen=True):
    """One support of a claim: the atom of the fold (design 09.1). Windows and instants in microseconds.

    With `shares` it is a linked copy: it stands while its evidence, a claim, still says what this digest stands for.
    """

    claim: Claim
    evidence: str
    source: str
    spoken: int
    basis: Basis = "stated"
    span: tuple[int, int] | None = None
    from_: int | None = msgspec.field(default=None, name="from")
    to: int | None = None
    said: str = ""
    attested: bool = False
    trusted: bool = False
    echo: bool = False
    imported: bool = False
    shares: str = ""


class Reach(Edge, frozen=True):
    """What a correct, change or retract reaches: words spoken up to `spoken`, everybody's or one source's."""

    source: str
    spoken: int
    everyone: bool = False


class Tombstone(Edge, frozen=True):
    """A value that may not come back: absolute for anyone, provisional for the sources that had backed it.

    `begins` and `sentences` are for finding it in running text: the first words of a long value, and whole sentences
    that had said it.
    """

    value: str
    subject: str = ""
    predicate: str = ""
    polarity: Polarity = "+"
    one: bool = False
    absolute: bool = False
    begins: str = ""
    sentences: tuple[str, ...] = ()


class Met(Edge, frozen=True):
    """Where words and a tombstone meet: spans of a body's texts laid end to end, and the entry of the other side.

    Unset, `of` is the very entry. `by`: the tombstone, where neither side tells of it: a store does so for entries that
    come from another. `doubt`: what is claimed waits for review.
    """

    of: str = ""
    by: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    doubt: bool = False


class Ending(Edge, frozen=True):
    """An explicit end of a claim's validity."""

    claim: Claim
    since: int


class Merged(Edge, frozen=True):
    """A claim that a merge ends for all of world time, and the record that said it."""

    record: str
    claim: Claim


class Consequences(Edge, frozen=True):
    """What a revising verb does to the claim it leaves behind."""

    reach: Reach
    tombstone: Tombstone | None = None
    ending: Ending | None = None
    inherits: str | None = None
    merged: tuple[Merged, ...] = ()


class Revise(Edge, frozen=True, tag_field="kind", tag="revise"):
    """Content of a record: its root, or a successor naming the heads it replaces.

    An `utterance` is an episode that was stored only so that a claim without evidence has words to cite.
    """

    record_kind: Kind
    supersedes: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    supports: tuple[Assertion, ...] = ()
    consequences: Consequences | None = None
    names: tuple[str, ...] = ()
    occurred: int | None = None
    speaker: str | None = None
    attested: bool = False
    origin: str | None = None
    imported: bool = False
    utterance: bool = False


class Support(Edge, frozen=True, tag_field="kind", tag="support"):
    """Evidence granted to a record's claim, or one grant revoked or reinstated."""

    verb: Literal["grant", "revoke", "reinstate"]
    supports: tuple[Assertion, ...] = ()
    of: str | None = None
    replaces: tuple[str, ...] = ()
    saw: tuple[str, ...] = ()
    consequences: Consequences | None = None


class Judge(Edge, frozen=True, tag_field="kind", tag="judge"):
    """An explicit decision about standing."""

    verb: Literal["retract", "end", "approve", "contest"]
    claim: Claim | None = None
    consequences: Consequences | None = None
    seen: tuple[str, ...] = ()
    against: str | None = None


class Show(Edge, frozen=True, tag_field="kind", tag="show"):
    """Withdraw or restore: which content it observed, which visibility heads it replaces.

    `hides`: the value whose sayings are masked as long as a withdrawal as private is in force. It forbids nothing.
    """

    verb: Literal["withdraw", "restore"]
    observed: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    hides: Tombstone | None = None


class Reject(Edge, frozen=True, tag_field="kind", tag="reject"):
    """This value may never come back, whoever says it."""

    tombstone: Tombstone


class Lift(Edge, frozen=True, tag_field="kind", tag="lift"):
    """A tombstone no longer holds."""

    of: str


class Classify(Edge, frozen=True, tag_field="kind", tag="classify"):
    """Sensitivity of a record, as a level from 0."""

    level: int
    replaces: tuple[str, ...] = ()


class Relate(Edge, frozen=True, tag_field="kind", tag="relate"):
    """An edge between two records, or the end of one. The relation's name is a keyed digest."""

    verb: Literal["begin", "end"]
    target: str
    relation: str


class Attend(Edge, frozen=True, tag_field="kind", tag="attend"):
    """Attention: what a recall's answer was worth. `gain_thousandths` is signed."""

    outcome: FeedbackOutcome
    gain_thousandths: int
    recall: str


class Keep(Edge, frozen=True):
    """How many days records of a class are kept; what is unset is any. Tag and origin are keyed digests.

    An origin of `*` is any tool or document.
    """

    days: int
    kind: Kind | None = None
    level: int | None = None
    tag: str | None = None
    origin: str | None = None


class PolicyRules(Edge, frozen=True):
    """The switches of a policy. Trusted tools are keyed digests of their names; the fold reads no retention."""

    name: str
    agent_statement_is_claim: bool = True
    lift_needs_sources: int = 2
    trusted_tools: tuple[str, ...] = ()
    retention: tuple[Keep, ...] = ()


class Define(Edge, frozen=True, tag_field="kind", tag="define"):
    """A name behind an opaque id, or a setting of the space.

    A `device` with a public `key` may sign seals. A `peer` is another store's device, and how far its authors are
    believed here. An `arrival` names the entries that came from a peer; both concern this store alone, and no other
    store takes them over. A legal hold is a setting too: `id` is the record that is held or, where `released`, the
    entry that held it.
    """

    what: Literal[
        "scope", "who", "session", "device", "tool", "predicate", "relation", "policy", "generation", "hold", "peer",
        "arrival",
    ]  # fmt: skip
    id: str = ""
    policy: PolicyRules | None = None
    generation: int | None = None
    released: bool = False
    key: str | None = None
    trust: PeerTrust | None = None
    entries: tuple[str, ...] = ()


class Erase(Edge, frozen=True, tag_field="kind", tag="erase"):
    """Which entries' bodies were destroyed, and why in one word.

    `fingerprints`: keyed digests of whole sentences that are cut when they come in again. `by_value`: wherever a value
    stood, and not one source; then another store destroys its own copies as well.
    """

    targets: tuple[str, ...]
    reason_code: str
    tombstone: Tombstone | None = None
    fingerprints: tuple[str, ...] = ()
    by_value: bool = False


class Seal(Edge, frozen=True, tag_field="kind", tag="seal"):
    """The chain head at a position, signed by a device; one that names no device cannot be checked."""

    position: int
    chain: str
    signature: str
    device: str | None = None


class Cited(Edge, frozen=True):
    """Words that a proposal would cite: a span of a record, in code points; unset for all of it."""

    record: str
    span: tuple[int, int] | None = None


class Propose(Edge, frozen=True, tag_field="kind", tag="propose"):
    """A change that waits for its owner: the intended verb on the named record, with all it takes but its words.

    `heads`: the content it was made against. `others`: further records or supports the verb names. `scope`: where it
    would write, if elsewhere.
    """

    verb: str
    since: int | None = None
    heads: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    scope: str | None = None
    cites: tuple[Cited, ...] = ()


class Settle(Edge, frozen=True, tag_field="kind", tag="settle"):
    """Ends the contests it names, or closes the proposals."""

    of: tuple[str, ...]


Edges = (
    Revise
    | Support
    | Judge
    | Show
    | Reject
    | Lift
    | Classify
    | Relate
    | Attend
    | Define
    | Erase
    | Seal
    | Propose
    | Settle
)


class Skeleton(Edge, frozen=True):
    """The hashed, never erased part of an entry. `record` is unset in a root, whose record id follows from its own.

    `met`: tombstones that this entry's words meet; `reaches`: entries whose words this entry's tombstone meets.
    """

    format: int
    space: str
    scope: str
    author: AuthorIds
    recorded_at: int
    body: str
    edges: Edges
    sensitivity: int = 0
    record: str | None = None
    request: str | None = None
    met: tuple[Met, ...] = ()
    reaches: tuple[Met, ...] = ()


class Body(Edge, frozen=True):
    """The words of an entry; canonical JSON, kept exactly as hashed, until erased."""

    payload: Payload | None = None
    reason: str | None = None
    name: str | None = None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A skeleton with its id; what the fold sees."""

    id: str
    skeleton: Skeleton

    @property
    def record_id(self) -> str:
        """The record this entry is about."""
        return self.skeleton.record or record_id_of_root(self.id)

    @property
    def kind(self) -> EntryKind:
        """The entry kind, from the edge's tag."""
        return cast("EntryKind", self.skeleton.edges.__struct_config__.tag)


def record_id_of_root(entry_id: str) -> str:
    """The record that a root entry begins: the same digest under the other prefix."""
    return "r" + entry_id[1:]


def root_of(record_id: str) -> str:
    """The entry that began a record."""
    return "e" + record_id[1:]
