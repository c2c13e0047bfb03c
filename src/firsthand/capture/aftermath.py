"""What stays to be asked about erasures: their certificates, a sweep of every byte, and what retention makes due."""

from __future__ import annotations

from firsthand.capture.certify import certificate, finish_all, is_genuine
from firsthand.capture.gateway import Gateway
from firsthand.capture.retention import due, retain
from firsthand.capture.sweeping import sweep
from firsthand.rules.access import Handle
from firsthand.vocabulary.erasure import Certificate, RetentionReport, SweepReport


class Aftermath:
    """Erasures of one space, for one handle."""

    def __init__(self, gateway: Gateway, handle: Handle) -> None:
        self._gateway = gateway
        self._handle = handle

    def certificate(self, certificate_id: str) -> Certificate:
        """The certificate of an erasure again, by the id of its erase entry."""
        self._handle.may("erase")
        return certificate(self._gateway, self._handle, certificate_id)

    def is_genuine(self, shown: Certificate) -> bool:
        """Whether a certificate was made by this space, and is unchanged."""
        self._handle.may("erase")
        return is_genuine(self._handle, shown)

    def finish(self) -> tuple[str, ...]:
        """Clean the file after erasures that a crash or an old reader kept from it; their ids."""
        self._handle.may("erase")
        return finish_all(self._gateway, self._handle)

    def sweep(self, *words: str) -> SweepReport:
        """Look for words in every byte of every file of the store, in each form that an engine can hold.

        A control puts a canary into a store of its own first, and the sweep has to find it in each place.
        """
        self._handle.may("sweep")
        return sweep(self._gateway, self._handle, words)

    def due(self) -> RetentionReport:
        """What the retention of the policy in force would erase now."""
        return due(self._gateway, self._handle)

    def retain(self) -> RetentionReport:
        """Erase what retention makes due; holds are respected, and what may not come back stays forbidden."""
        return retain(self._gateway, self._handle)
