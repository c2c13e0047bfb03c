"""What may be known of a record that is too sensitive to be read: that it is there, and how it stands."""

from __future__ import annotations

import msgspec

from firsthand.vocabulary.kinds import Kind, Sensitivity, Status, Tier


class Stub(msgspec.Struct, frozen=True, kw_only=True):
    """A record without a word of it, nor who said it. Instants are microseconds since 1970."""

    record_id: str
    kind: Kind
    tier: Tier
    status: Status
    sensitivity: Sensitivity
    recorded_at: int
    believed_since: int
