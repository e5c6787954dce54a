"""AdmissionReview v1 as it comes over the wire; the objects in it stay raw slices of the body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.opened import seen

if TYPE_CHECKING:
    from webhook.core.view import View

NULL: Final = msgspec.Raw(b"null")


class GroupVersionKind(msgspec.Struct, frozen=True):
    """metav1.GroupVersionKind."""

    group: str = ""
    version: str = ""
    kind: str = ""


class GroupVersionResource(msgspec.Struct, frozen=True):
    """metav1.GroupVersionResource."""

    group: str = ""
    version: str = ""
    resource: str = ""


class UserInfo(msgspec.Struct, frozen=True):
    """authentication.k8s.io/v1 UserInfo, as far as rules read it."""

    username: str = ""
    groups: list[str] | None = None


class AdmissionRequest(msgspec.Struct, frozen=True, rename="camel"):
    """admission.k8s.io/v1 AdmissionRequest; what is not read is skipped, not decoded.

    ``object`` and ``old_object`` may come in parts (reviews/opening.py): rules ask ``objects``.
    """

    uid: str
    operation: str = ""
    kind: GroupVersionKind = GroupVersionKind()
    resource: GroupVersionResource = GroupVersionResource()
    sub_resource: str | None = None
    request_kind: GroupVersionKind | None = None
    name: str | None = None
    namespace: str | None = None
    user_info: UserInfo | None = None
    object: msgspec.Raw = NULL
    old_object: msgspec.Raw = NULL
    dry_run: bool | None = None

    def objects(self) -> tuple[View | None, View | None]:
        """Views of the old object and the new one; None where there is none."""
        return seen(self.old_object), seen(self.object)


class AdmissionReview(msgspec.Struct, frozen=True, rename="camel"):
    """The envelope of an admission call."""

    api_version: str
    kind: str
    request: AdmissionRequest | None = None


class StatusCause(msgspec.Struct, frozen=True):
    """metav1.StatusCause: kubectl prints nothing else of a denial."""

    reason: str
    message: str
    field: str


class StatusDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """metav1.StatusDetails; without name and kind kubectl says "The request is invalid"."""

    name: str = ""
    group: str = ""
    kind: str = ""
    causes: list[StatusCause] = []


class Status(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """metav1.Status."""

    message: str
    reason: str
    code: int
    api_version: str | None = None
    kind: str | None = None
    details: StatusDetails | None = None
    status: str = ""


class AdmissionResponse(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """admission.k8s.io/v1 AdmissionResponse, always made from its request's uid."""

    uid: str
    allowed: bool
    status: Status | None = None
    patch: str | None = None
    patch_type: str | None = None
    warnings: list[str] = []
    audit_annotations: dict[str, str] = {}


class AdmissionAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """The envelope of an answer, in the version that was asked."""

    api_version: str
    kind: str
    response: AdmissionResponse
