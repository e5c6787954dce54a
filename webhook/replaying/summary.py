"""What many verdicts come to, in bounded memory; summaries of parts add up to that of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from webhook.replaying.series import Bucket, Series
from webhook.replaying.write import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.replaying.write import Unjudged, Write
    from webhook.reviews.verdict import Verdict
    from webhook.reviews.wire import AdmissionRequest

MOST_NAMES: Final = 5000
OTHERS: Final = "(others)"
_NODE: Final = "system:node:"


class Effects(msgspec.Struct, omit_defaults=True):
    """How often a rule did what."""

    deny: int = 0
    warn: int = 0
    audit: int = 0


class Summary(msgspec.Struct):
    """Counts of a replay.

    Attributes:
        writes: judged, dry runs included.
        denied: would be refused by the policy.
        would_deny: only kept from it by the policy's modes.
        warned: of those that are let through.
        dry_runs: writes that were dry runs.
        refused: writes that a webhook refused at the time.
        refused_denied: of these, denied here too.
        estimated: judged on objects put together from requests.
        unjudged: by reason.
        said: rules that our webhook named at the time, for writes that cannot be judged.
        rules, writers, kinds: counts by rule, by user name, by kind, endpoint and operation.
        first, last: seconds since 1970.
        over_time: the same over time.
    """

    writes: int = 0
    denied: int = 0
    would_deny: int = 0
    warned: int = 0
    dry_runs: int = 0
    refused: int = 0
    refused_denied: int = 0
    estimated: int = 0
    unjudged: dict[str, int] = {}
    said: dict[str, int] = {}
    rules: dict[str, Effects] = {}
    writers: dict[str, Bucket] = {}
    kinds: dict[str, Bucket] = {}
    first: float | None = None
    last: float | None = None
    over_time: Series = msgspec.field(default_factory=Series)

    def add(self, write: Write, verdict: Verdict) -> None:
        """Counts a verdict. Called for every write there is, so nothing is made that is not kept."""
        denied = bool(verdict.denied)
        warned = bool(verdict.warned) and not denied
        self.writes += 1
        if verdict.denied or verdict.warned or verdict.audited:
            self.denied += denied
            self.would_deny += bool(verdict.would_deny) and not denied
            self.warned += warned
            self._rules(verdict)
        if write.outcome is Outcome.DRY_RUN:
            self.dry_runs += 1
        elif write.outcome is Outcome.REFUSED:
            self.refused += 1
            self.refused_denied += denied
        self.estimated += write.estimated
        request = write.request
        user = request.user_info.username if request.user_info is not None else ""
        _bucket(self.writers, _grouped(user)).count(denied, warned)
        _bucket(self.kinds, _what(request)).count(denied, warned)
        if write.time is not None:
            self._seen(write.time)
            self.over_time.count(write.time, denied, warned)

    def skip(self, unjudged: Unjudged) -> None:
        """Counts a write that cannot be judged."""
        why = unjudged.why.value
        self.unjudged[why] = self.unjudged.get(why, 0) + 1
        for rule in unjudged.said:
            self.said[rule] = self.said.get(rule, 0) + 1

    def merge(self, other: Summary) -> None:
        """Adds another part."""
        for name in ("writes", "denied", "would_deny", "warned", "dry_runs", "refused",
                     "refused_denied", "estimated"):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in ((self.unjudged, other.unjudged), (self.said, other.said)):
            for key, number in theirs.items():
                mine[key] = mine.get(key, 0) + number
        for rule, effects in other.rules.items():
            _add(self.rules.setdefault(rule, Effects()), effects)
        for names, more in ((self.writers, other.writers), (self.kinds, other.kinds)):
            for name, bucket in more.items():
                _bucket(names, name).add(bucket)
        for time in (other.first, other.last):
            if time is not None:
                self._seen(time)
        self.over_time.merge(other.over_time)

    def _rules(self, verdict: Verdict) -> None:
        for effect, found in (
            ("deny", verdict.denied),
            ("warn", verdict.warned),
            ("audit", verdict.audited),
        ):
            for rule in dict.fromkeys(finding.rule for finding in found):  # a set has no order
                counts = self.rules.setdefault(rule, Effects())
                setattr(counts, effect, getattr(counts, effect) + 1)

    def _seen(self, time: float) -> None:
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time


def _add(mine: Effects, theirs: Effects) -> None:
    mine.deny += theirs.deny
    mine.warn += theirs.warn
    mine.audit += theirs.audit


def _bucket(names: dict[str, Bucket], name: str) -> Bucket:
    """The counts of a name; once there are very many names, all further ones share one."""
    found = names.get(name)
    if found is None:
        key = name if len(names) < MOST_NAMES else OTHERS
        found = names.setdefault(key, Bucket())
    return found


def _what(request: AdmissionRequest) -> str:
    """Kind, endpoint and operation, as in `Node/status UPDATE`."""
    kind, endpoint = request.kind.kind, request.sub_resource
    return f"{kind}/{endpoint} {request.operation}" if endpoint else f"{kind} {request.operation}"


def _grouped(user: str) -> str:
    """All kubelets count as one."""
    return f"{_NODE}*" if user.startswith(_NODE) else user


def most(names: dict[str, Bucket]) -> Iterable[tuple[str, Bucket]]:
    """By denials, then warnings, then writes; the busiest first."""
    return sorted(
        names.items(), key=lambda item: (-item[1].denied, -item[1].warned, -item[1].writes, item[0])
    )
