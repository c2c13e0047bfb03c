"""Who is at the door: one handle's author, scope and grant, with their names as digests. A request only narrows it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from firsthand.rules.identity import Keyed
from firsthand.rules.normalise import name_key
from firsthand.vocabulary.entries import AuthorIds
from firsthand.vocabulary.errors import DeniedError
from firsthand.vocabulary.grants import SPACE_WIDE, Author, Grant, check_scope
from firsthand.vocabulary.kinds import SENSITIVITIES, Sensitivity
from firsthand.vocabulary.limits import SCOPES_PER_RECALL, check_count


class Handle(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a verb needs to know about its caller."""

    space: str
    scope: str
    author: Author
    grant: Grant
    keyed: Keyed
    scope_id: str
    ids: AuthorIds
    readable: frozenset[str] | None
    names: tuple[tuple[str, str, str], ...]

    @property
    def clearance(self) -> int:
        """The highest sensitivity this handle may read, as a level."""
        return SENSITIVITIES.index(self.grant.clearance)

    @property
    def reads_all(self) -> bool:
        """Whether nothing in the space is hidden from this handle."""
        return self.readable is None and self.clearance == len(SENSITIVITIES) - 1

    def may(self, verb: str) -> None:
        """Refuse a verb the grant does not name."""
        if not self.grant.may_use(verb):
            raise DeniedError("verb_not_granted", "the grant does not include this verb", field="verb")

    def may_write(self, verb: str) -> None:
        """Refuse a write the grant does not allow."""
        self.may(verb)
        if not self.grant.may_write(self.scope):
            raise DeniedError("scope_not_granted", "the grant does not include writing to this scope", field="scope")

    def reads(self, scope_id: str) -> bool:
        """Whether a scope, by its id, is readable; equality only."""
        return self.readable is None or scope_id in self.readable

    def scopes(self, asked: Sequence[str] | None) -> tuple[str, ...]:
        """The scopes of a read: those named, or this handle's own and `space:`; never silently fewer than named."""
        if asked is None:
            wanted = dict.fromkeys((self.scope, SPACE_WIDE))
            own = tuple(s for s in wanted if self.grant.may_read(s))
            if self.scope not in own:
                raise DeniedError("scope_not_granted", "the grant does not include reading this scope", field="scope")
            return own
        check_count(len(asked), most=SCOPES_PER_RECALL, field="scopes")
        for scope in asked:
            check_scope(scope, "scopes")
            if not self.grant.may_read(scope):
                raise DeniedError(
                    "scope_not_granted", "the grant does not include reading a named scope", field="scopes"
                )
        return tuple(dict.fromkeys(asked)) or self.scopes(None)

    def level(self, asked: Sensitivity | None) -> int:
        """The lower of asked and granted clearance."""
        return self.clearance if asked is None else min(self.clearance, SENSITIVITIES.index(asked))

    def attested_source(self, speaker: str | None) -> str | None:
        """Whose word it is, if this credential vouches for the speaker; else `speaker` is only a claim (design 03)."""
        own = {name_key(self.author.owner), name_key(self.author.actor)}
        if self.author.role == "person" and (speaker is None or name_key(speaker) in own):
            return self.ids.owner
        if speaker is not None and name_key(speaker) in {name_key(s) for s in self.grant.attests}:
            return self.keyed.who(speaker)
        return None


def handle(*, space: str, scope: str, author: Author, grant: Grant, keyed: Keyed) -> Handle:
    """A handle on one scope of a space; the role is the grant's where the grant states one."""
    check_scope(scope)
    if grant.role is not None and grant.role != author.role:
        author = msgspec.structs.replace(author, role=grant.role)
    ids = AuthorIds(
        actor=keyed.who(author.actor),
        owner=keyed.who(author.owner),
        role=author.role,
        harness=author.harness,
        model=author.model,
        session=keyed.digest("session", author.session) if author.session is not None else None,
        device=keyed.digest("device", author.device) if author.device is not None else None,
    )
    scope_id = keyed.scope(scope)
    names = [("who", ids.actor, author.actor)]
    names += [("who", ids.owner, author.owner)] if ids.owner != ids.actor else []
    names += [("session", ids.session, author.session)] if ids.session and author.session else []
    names += [("device", ids.device, author.device)] if ids.device and author.device else []
    names.append(("scope", scope_id, scope))
    return Handle(
        space=space,
        scope=scope,
        author=author,
        grant=grant,
        keyed=keyed,
        scope_id=scope_id,
        ids=ids,
        readable=None if grant.read is None else frozenset(keyed.scope(s) for s in grant.read),
        names=tuple(names),
    )
