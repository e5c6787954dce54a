"""What ends a command line: errors of the caller in one line, faults of ours as such."""

from __future__ import annotations

import os
import traceback
from typing import Final

import click

from webhook.documents import DocumentError
from webhook.lifecycle.compile import ProfileError

USAGE_ERROR: Final = 2
OUR_FAULT: Final = 3


class CallerError(Exception):
    """Input or settings that cannot be used; its text says which and why."""


EXPECTED: Final = (CallerError, DocumentError, ProfileError)


def explain_fault(error: Exception) -> int:
    """Says that we are wrong, not the caller; the trace only when it is asked for."""
    if os.environ.get("SKYHOOK_WEBHOOK_TRACE"):
        traceback.print_exception(error)
    click.echo(
        f"skyhook-webhook: a fault of ours: {type(error).__name__}: {error}\n"
        "Set SKYHOOK_WEBHOOK_TRACE=1 to see where, and report it please.",
        err=True,
    )
    return OUR_FAULT
