"""One root error; each category maps once to an exit code and a wire status (design 02)."""

from __future__ import annotations

from typing import ClassVar, Literal

NextAction = Literal[
    "retry_same", "fix_and_resubmit", "refresh_and_retry", "ask_person", "contact_operator", "reindex", "none"
]


class FirsthandError(Exception):
    """Root of every error this package raises; `message` names a field, never its content."""

    category: ClassVar[str] = "broken"
    exit_code: ClassVar[int] = 10
    http_status: ClassVar[int] = 500
    grpc_status: ClassVar[str] = "INTERNAL"
    default_next_action: ClassVar[NextAction] = "contact_operator"

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        retryable: bool = False,
        may_have_written: bool = False,
        next_action: NextAction | None = None,
        details: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.retryable = retryable
        self.may_have_written = may_have_written
        self.next_action: NextAction = next_action or self.default_next_action
        self.details = details or {}

    def as_dict(self) -> dict[str, object]:
        """The error as every surface shows it."""
        return {
            "category": self.category,
            "code": self.code,
            "message": self.message,
            "field": self.field,
            "retryable": self.retryable,
            "may_have_written": self.may_have_written,
            "next_action": self.next_action,
            "details": self.details,
        }


class InvalidError(FirsthandError):
    """The request is not well-formed or breaks a limit; nothing was written."""

    category, exit_code, http_status, grpc_status = "invalid", 2, 400, "INVALID_ARGUMENT"
    default_next_action = "fix_and_resubmit"


class UnauthenticatedError(FirsthandError):
    """No credential, or one that is not known here."""

    category, exit_code, http_status, grpc_status = "unauthenticated", 4, 401, "UNAUTHENTICATED"
    default_next_action = "contact_operator"


class DeniedError(FirsthandError):
    """The grant does not allow this."""

    category, exit_code, http_status, grpc_status = "denied", 5, 403, "PERMISSION_DENIED"
    default_next_action = "ask_person"


class AbsentError(FirsthandError):
    """Nothing readable has this id (absent and unreadable are the same answer)."""

    category, exit_code, http_status, grpc_status = "absent", 6, 404, "NOT_FOUND"
    default_next_action = "fix_and_resubmit"


class ConflictError(FirsthandError):
    """The caller's picture is stale, or an idempotency key was used for another request."""

    category, exit_code, http_status, grpc_status = "conflict", 7, 409, "ABORTED"
    default_next_action = "refresh_and_retry"


class RefusedError(FirsthandError):
    """A rule of the memory itself forbids this (an immutable episode, say)."""

    category, exit_code, http_status, grpc_status = "refused", 8, 409, "FAILED_PRECONDITION"
    default_next_action = "ask_person"


class BusyError(FirsthandError):
    """The store could not be had in time; the same call may succeed later."""

    category, exit_code, http_status, grpc_status = "busy", 9, 503, "UNAVAILABLE"
    default_next_action = "retry_same"


class BrokenError(FirsthandError):
    """The store contradicts itself or its environment; `details` name the place."""


REFUSED_EXIT_CODE = RefusedError.exit_code
