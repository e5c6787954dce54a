"""One judgement under way: what every rule may read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webhook.core.evidence import NoEvidence
from webhook.core.writer import Writer

if TYPE_CHECKING:
    from datetime import datetime

    from webhook.core.evidence import Evidence
    from webhook.core.finding import Finding
    from webhook.core.view import View
    from webhook.lifecycle.path import Trail


@dataclass(slots=True)
class Run:
    """The review under judgement, as rules see it.

    Attributes:
        old: the object before the write; None on CREATE, and where nobody knows it.
        new: the object after the write.
        writer: who writes, as a kind.
        user: the user name, for messages and for rules about accounts.
        version: the version in which the write was made (``requestKind.version``).
        now: the clock's reading; None switches rules about the future off.
        evidence: what is known of Nodes.
        documented: whether edges outside the system's own document only warn.
        release: the release of the guarded system that is configured or assumed.
        memo: what rules remember within this one judgement.
    """

    old: View | None
    new: View | None
    writer: Writer = Writer.UNKNOWN
    user: str = ""
    version: str = ""
    now: datetime | None = None
    evidence: Evidence = field(default_factory=NoEvidence)
    documented: bool = False
    release: str = ""
    memo: dict[object, object] = field(default_factory=dict)

    def settled(self) -> Run:
        """The same review with the old object on both sides: what stood there before.

        A finding that a rule also has here is an old defect, and never denies.
        """
        return Run(
            self.old,
            self.old,
            self.writer,
            self.user,
            self.version,
            self.now,
            self.evidence,
            release=self.release,
        )


Judge = Callable[[Run, "View | None", "View | None", "Trail"], Iterable["Finding"]]
"""One compiled rule: (run, old value, new value, where) -> findings."""
