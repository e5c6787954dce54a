"""The last known state of each object in a stream of writes, within a bound of memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webhook.replaying.stored import head

if TYPE_CHECKING:
    from collections.abc import Iterator

Reference = tuple[str, str, str, str]
"""(group, resource, namespace, name)."""

MOST_BYTES: Final = 96 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class State:
    """An object as the stream last showed it.

    Attributes:
        raw: its JSON, a copy of its own.
        version: its resourceVersion; "" where the log does not hold it.
        api_version: in which API version it was shown.
    """

    raw: bytes
    version: str = ""
    api_version: str = ""

    @classmethod
    def of(cls, raw: bytes) -> State:
        """The state that an object in a log shows."""
        top = head(raw)
        return cls(raw, top.metadata.resource_version, top.api_version)


class States:
    """Objects by reference; those not touched for longest are forgotten first.

    Attributes:
        forgotten: how many had to go.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._known: OrderedDict[Reference, State] = OrderedDict()
        self._gone: set[Reference] = set()
        self._bytes = 0
        self.forgotten = 0

    def get(self, reference: Reference) -> State | None:
        """The state, if it is known."""
        return self._known.get(reference)

    def was_forgotten(self, reference: Reference) -> bool:
        """Whether it was known once, and had to go for want of memory."""
        return reference in self._gone

    def put(self, reference: Reference, state: State) -> None:
        """Remembers it."""
        self.drop(reference)
        self._known[reference] = state
        self._bytes += len(state.raw)
        while self._bytes > self._most and len(self._known) > 1:
            oldest, gone = self._known.popitem(last=False)
            self._bytes -= len(gone.raw)
            self.forgotten += 1
            if len(self._gone) < _MOST_NAMES:
                self._gone.add(oldest)

    def drop(self, reference: Reference) -> None:
        """The object is gone, or nobody knows how it stands."""
        self._gone.discard(reference)
        state = self._known.pop(reference, None)
        if state is not None:
            self._bytes -= len(state.raw)

    def drop_all(self, group: str, resource: str, namespace: str) -> None:
        """All objects of a resource (in a namespace, if one is given)."""
        for reference in list(self._matching(group, resource, namespace)):
            self.drop(reference)

    def _matching(self, group: str, resource: str, namespace: str) -> Iterator[Reference]:
        for reference in self._known:
            if reference[:2] == (group, resource) and namespace in ("", reference[2]):
                yield reference


_MOST_NAMES: Final = 100_000
