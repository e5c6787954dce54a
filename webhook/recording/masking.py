"""Takes secrets out of a review: addresses and ids of Nodes, values of env, strangers' annotations.

What is masked stays comparable: equal values get equal masks, so that a replay sees the same changes.
"""

from __future__ import annotations

import re
import secrets
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_NODE_STATUS: Final = ("machineID", "systemUUID")
_NODE_SPEC: Final = ("providerID", "podCIDR")
_DECODE: Final = msgspec.json.Decoder()
_ENCODE: Final = msgspec.json.Encoder()
_ANNOTATION: Final = re.compile(r'annotations\."([^"{*|]+)')


def kept_annotations(paths: Iterable[str], prefixes: Iterable[str]) -> tuple[str, ...]:
    """Beginnings of annotation keys that rules read: of the paths of rules, and the prefixes."""
    named = {match[1] for path in paths for match in _ANNOTATION.finditer(path)}
    return tuple(sorted(named | {f"{prefix}/" for prefix in prefixes}))


class Mask:
    """Masks reviews; the masks of two processes differ."""

    def __init__(self, kept: tuple[str, ...], key: bytes | None = None) -> None:
        """``kept``: beginnings of annotation keys whose values stay; ``key`` for tests."""
        self._kept = kept
        self._key = key or secrets.token_bytes(16)

    def __call__(self, body: bytes) -> bytes:
        """The review without secrets, encoded anew."""
        review = _DECODE.decode(body)
        request = review.get("request") if isinstance(review, dict) else None
        if not isinstance(request, dict):
            return body
        user = request.get("userInfo")
        if isinstance(user, dict):
            user.pop("extra", None)
            user.pop("uid", None)
        request.pop("options", None)
        for side in ("object", "oldObject"):
            self._object(request.get(side))
        return _ENCODE.encode(review)

    def _object(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        metadata = value.get("metadata")
        if isinstance(metadata, dict):
            annotations = metadata.get("annotations")
            if isinstance(annotations, dict):
                for key in annotations:
                    if not key.startswith(self._kept):
                        annotations[key] = self._masked(annotations[key])
        if value.get("kind") == "Node" and value.get("apiVersion", "v1") == "v1":
            self._node(value)
        else:
            self._env(value.get("spec"))

    def _node(self, node: dict[str, Any]) -> None:
        spec, status = node.get("spec"), node.get("status")
        if isinstance(spec, dict):
            self._fields(spec, _NODE_SPEC)
            if isinstance(spec.get("podCIDRs"), list):
                spec["podCIDRs"] = [self._masked(one) for one in spec["podCIDRs"]]
        if not isinstance(status, dict):
            return
        for address in _objects(status.get("addresses")):
            self._fields(address, ("address",))
        info = status.get("nodeInfo")
        if isinstance(info, dict):
            self._fields(info, _NODE_STATUS)

    def _env(self, value: Any) -> None:
        """Values under any `env`, and the contents of any `configMap`, at whatever depth."""
        if isinstance(value, list):
            for item in value:
                self._env(item)
        if not isinstance(value, dict):
            return
        for key, kid in value.items():
            if key == "env":
                for variable in _objects(kid):
                    self._fields(variable, ("value",))
            elif key == "configMap" and isinstance(kid, dict):
                self._fields(kid, tuple(kid))
            else:
                self._env(kid)

    def _fields(self, holder: dict[str, Any], names: tuple[str, ...]) -> None:
        for name in names:
            if name in holder:
                holder[name] = self._masked(holder[name])

    def _masked(self, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            return value
        text = value.encode(errors="surrogatepass")
        return f"masked:{blake2b(text, digest_size=8, key=self._key).hexdigest()}"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
