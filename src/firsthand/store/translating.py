"""The engine's errors as ours: without content, with what to do next."""

from __future__ import annotations

import contextlib
from collections.abc import Generator

import apsw

from firsthand.vocabulary.errors import BrokenError, BusyError, FirsthandError


@contextlib.contextmanager
def translated(*, may_have_written: bool = False) -> Generator[None]:
    """Engine errors as ours: without content, with what to do next."""
    try:
        yield
    except FirsthandError:
        raise
    except (apsw.BusyError, apsw.LockedError):
        raise BusyError(
            "store_busy", "the database was locked for longer than the busy timeout", retryable=True
        ) from None
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError):
        raise BrokenError("store_corrupt", "the database file is damaged or is not a database") from None
    except apsw.FullError:
        raise BusyError("disk_full", "the disk is full; nothing was written", next_action="contact_operator") from None
    except apsw.CantOpenError:
        raise BrokenError("store_unopenable", "the database file cannot be opened; its folder may be missing") from None
    except (apsw.ReadOnlyError, apsw.PermissionsError):
        raise BrokenError("store_read_only", "the database file cannot be written") from None
    except apsw.IOError:
        raise BrokenError(
            "store_io", "the operating system reported an error on the database file", may_have_written=may_have_written
        ) from None
    except apsw.ConnectionClosedError:
        raise BrokenError("store_closed", "the memory is closed; open it again", next_action="none") from None
    except apsw.Error as error:
        # A rule of the schema was broken, or the schema is not ours: a fault of ours or the file's, not the caller's.
        raise BrokenError(
            "store_refused", "the database refused a statement; run verify", may_have_written=may_have_written
        ) from error
