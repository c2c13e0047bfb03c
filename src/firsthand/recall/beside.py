"""What one scope rejects, in the words of another that is read beside it (design 03).

A tombstone binds where it was set. So a text of `space:` stays whole where it is read without that scope; read
together with it, its sentences that say what was rejected are masked, and what cannot be masked is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from firsthand.ports import LedgerRow, Reader
from firsthand.recall.rejections import Looked, Seen, sights
from firsthand.rules.access import Handle
from firsthand.rules.bearing import tombstone_key
from firsthand.rules.leaves import Veiled, slice_of
from firsthand.rules.tombstones import lifted
from firsthand.rules.view import Said, View
from firsthand.sighting import Look
from firsthand.vocabulary.entries import Claim, Entry
from firsthand.vocabulary.grants import SPACE_WIDE


class Beside:
    """The rejections of the scopes that one recall reads, each as it meets the words of the others."""

    def __init__(self, reader: Reader, handle: Handle, looked: Looked, scope_ids: Iterable[str]) -> None:
        self._reader = reader
        self._handle = handle
        self._looked = looked
        self._view = View(reader)
        rejections = looked.rejections(reader)
        # What `space:` rejects is masked in every scope already, in its own entries.
        self._rejections = {s: rejections[s] for s in scope_ids if s in rejections and s != SPACE_WIDE}
        self.kept_out: dict[str, str] = {}
        """Entries whose words may not be shown here, each with the rejection that says so."""

    def keep_out(self, claims: Iterable[tuple[str, Said]]) -> None:
        """Leave out revisions that claim, in another scope, the very thing that one of these rejects."""
        if not self._rejections:
            return
        for revision, said in claims:
            for stone in self._on(said.claim):
                if stone.skeleton.scope != said.scope and not lifted(self._view, stone.id):
                    self.kept_out[revision] = stone.id

    def marks(self, stored: Mapping[str, LedgerRow]) -> dict[str, list[Veiled]]:
        """What is masked of the words of some entries; those of which nothing may be shown are left out."""
        found: dict[str, list[Veiled]] = {}
        for scope_id, rejections in self._rejections.items():
            seen = {i: self._looked.seen(row, self._handle) for i, row in stored.items()}
            texts = {i: text for i, text in seen.items() if text.scope_id != scope_id}
            for sight in sights(self._reader, self._handle, scope_id, rejections, texts):
                marks = found.setdefault(sight.entry_id, [])
                marks.append(sight.veiled)
                if _cannot_be_masked(texts[sight.entry_id], sight.look, marks):
                    self.kept_out[sight.entry_id] = sight.stone.id
        return found

    def _on(self, claim: Claim) -> Iterator[Entry]:
        """Rejections of a claim's value."""
        key = tombstone_key(claim)
        for rejections in self._rejections.values():
            yield from rejections.by_claim.get(key, ())


def _cannot_be_masked(seen: Seen, look: Look, marks: Sequence[Veiled]) -> bool:
    """Whether a record falls with its sentence: it is no episode, or an episode that says nothing else."""
    if not seen.is_episode:
        return not look.leaf.is_reason
    left = slice_of(look.leaf.text, [v._replace(mark="") for v in marks])
    return look.leaf.start == 0 and not any(map(str.isalnum, left))
