"""audit.k8s.io/v1 Events as kube-apiserver logs them; the objects in them stay raw."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from webhook.reviews.wire import NULL, UserInfo

WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
READS: Final = frozenset({"get", "list"})
_DONE: Final = "ResponseComplete"
_DENIED: Final = 'admission webhook "'
"""How the API server begins the message of a request that a webhook refused (measured)."""


class ObjectReference(msgspec.Struct, frozen=True, rename="camel"):
    """What a request was about; `name` is missing where the server made it up."""

    resource: str = ""
    namespace: str = ""
    name: str = ""
    api_group: str = ""
    api_version: str = ""
    resource_version: str = ""
    subresource: str = ""


class ResponseStatus(msgspec.Struct, frozen=True):
    """metav1.Status as far as it is read."""

    code: int = 0
    message: str = ""


class Event(msgspec.Struct, frozen=True, rename="camel"):
    """One stage of one request."""

    level: str = ""
    stage: str = ""
    verb: str = ""
    audit_id: str = msgspec.field(name="auditID", default="")
    request_uri: str = msgspec.field(name="requestURI", default="")
    user: UserInfo = UserInfo()
    impersonated_user: UserInfo | None = None
    object_ref: ObjectReference | None = None
    response_status: ResponseStatus | None = None
    request_object: msgspec.Raw = NULL
    response_object: msgspec.Raw = NULL
    stage_timestamp: str = ""
    annotations: dict[str, str] | None = None

    @property
    def complete(self) -> bool:
        """Whether the request was answered; other stages repeat it."""
        return self.stage == _DONE

    @property
    def code(self) -> int:
        """The HTTP status; 0 where none is logged."""
        return self.response_status.code if self.response_status is not None else 0

    @property
    def succeeded(self) -> bool:
        """Whether the API server did what was asked."""
        return 200 <= self.code < 300

    @property
    def denied_by_webhook(self) -> bool:
        """Whether a webhook refused it, ours or another."""
        status = self.response_status
        return self.code >= 400 and status is not None and status.message.startswith(_DENIED)

    @property
    def dry_run(self) -> bool:
        """Whether nothing was to be stored."""
        return "dryRun=All" in self.request_uri

    @property
    def writer(self) -> UserInfo:
        """Whom admission saw: the impersonated user, where there is one."""
        return self.impersonated_user or self.user


def moment(text: str) -> float | None:
    """Seconds since 1970 of an RFC 3339 timestamp, as metav1.MicroTime prints it; None if it is none."""
    try:
        return datetime.fromisoformat(text).timestamp() if text else None
    except ValueError:
        return None
