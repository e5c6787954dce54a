"""One engine for server and command line: catalog, policy and clock bound together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.evidence import NoEvidence
from webhook.core.writer import UserGlobs
from webhook.reviews.answer import answer
from webhook.reviews.conversion import convert_slices
from webhook.reviews.decode import request_of
from webhook.reviews.mutation import Mutation, mutate, mutation_answer
from webhook.reviews.opening import Opening
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import Verdict, judge
from webhook.reviews.wire import AdmissionAnswer, AdmissionRequest, AdmissionResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from webhook.catalog import Catalog
    from webhook.conversions.converter import Converter
    from webhook.core.evidence import Evidence
    from webhook.mutations.keeper import Keeper
    from webhook.reviews.conversion import ConversionReview
    from webhook.reviews.wire import AdmissionReview

_ENCODE: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Judged:
    """A review with its verdict.

    Attributes:
        api_version: of the envelope, echoed in the answer.
        request: what was asked.
        verdict: what was found.
        response: the answer to the API server.
    """

    api_version: str
    request: AdmissionRequest
    verdict: Verdict
    response: AdmissionResponse

    @classmethod
    def of(cls, api_version: str, request: AdmissionRequest, verdict: Verdict) -> Judged:
        """With the answer to this verdict."""
        return cls(api_version, request, verdict, answer(request, verdict))

    def encode(self) -> bytes:
        """The whole answer as JSON."""
        envelope = AdmissionAnswer(self.api_version, "AdmissionReview", self.response)
        return _ENCODE.encode(envelope)


@dataclass(frozen=True, slots=True)
class Mutated:
    """A review with what the mutating webhook makes of it; fields as in Judged."""

    api_version: str
    request: AdmissionRequest
    mutation: Mutation
    response: AdmissionResponse

    def encode(self) -> bytes:
        """The whole answer as JSON."""
        envelope = AdmissionAnswer(self.api_version, "AdmissionReview", self.response)
        return _ENCODE.encode(envelope)


@dataclass(frozen=True, slots=True)
class Engine:
    """Judges reviews.

    Attributes:
        catalog: what is enforced.
        policy: what becomes of findings.
        clock: reads the time; None switches rules about the future off.
        evidence: what is known of Nodes.
        keepers: how the conditions of each (group, plural) are kept in status writes.
        converters: by API group.
    """

    catalog: Catalog
    policy: Policy
    clock: Callable[[], datetime] | None = None
    evidence: Evidence = field(default_factory=NoEvidence)
    keepers: Mapping[tuple[str, str], Keeper] = field(default_factory=dict)
    converters: Mapping[str, Converter] = field(default_factory=dict)
    opening: Opening = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """How bodies are read follows from what is enforced."""
        object.__setattr__(self, "opening", Opening(self.catalog.guards))

    @classmethod
    def default(cls, clock: Callable[[], datetime] | None = None) -> Engine:
        """The engine without any settings: shipped profiles, enforcing for everybody."""
        from webhook.catalog import Catalog

        catalog = Catalog.default()
        return cls(catalog, Policy(operators=UserGlobs.of(catalog.operators())), clock)

    def judge_request(self, request: AdmissionRequest, evidence: Evidence | None = None) -> Verdict:
        """The verdict on one request; ``evidence``: in place of the engine's own."""
        now = self.clock() if self.clock is not None else None
        known = self.evidence if evidence is None else evidence
        return judge(request, self.catalog, self.policy, now=now, evidence=known)

    def judge_review(self, review: AdmissionReview) -> Judged:
        """The verdict on a decoded review, and the answer. Raises ReviewError without request."""
        request = request_of(review)
        return Judged.of(review.api_version, request, self.judge_request(request))

    def mutate_review(self, review: AdmissionReview) -> Mutated:
        """What becomes of a status write, and the answer. Raises ReviewError without request."""
        request = request_of(review)
        mutation = mutate(request, self.keepers, operators=self.policy.operators, now=self.moment())
        return Mutated(review.api_version, request, mutation, mutation_answer(request, mutation))

    def convert_slices(self, review: ConversionReview) -> Iterator[bytes]:
        """The answer to a conversion call, in pieces."""
        return convert_slices(review, self.converters, self.moment())

    def moment(self) -> datetime:
        """The clock's reading; the end of time, when every window is closed, without a clock."""
        return self.clock() if self.clock is not None else datetime.max.replace(tzinfo=UTC)

    def judge_body(self, body: bytes) -> Judged:
        """The same for the body of a call, read in one pass. Raises ReviewError."""
        return self.judge_review(self.opening.review(body))
