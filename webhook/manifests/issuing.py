"""What cert-manager needs to issue our certificate: a CA of our own, and a leaf that it signs.

The CA outlives many leaves, so a renewed leaf never finds an API server that does not trust it yet. A leaf
straight from a `selfSigned` issuer would change both at once.
"""

from __future__ import annotations

from typing import Any, Final

from webhook.manifests.options import MOUNTED_SECRET, NAME, Object, Options, metadata

API_VERSION: Final = "cert-manager.io/v1"
_CA: Final = f"{NAME}-ca"
_ROOT: Final = f"{NAME}-root"
_KEY: Final = {"algorithm": "ECDSA", "size": 256, "rotationPolicy": "Always"}


def issuing(options: Options, domain: str = "cluster.local") -> list[Object]:
    """Two issuers and two certificates, in the order in which they depend on each other."""
    inside = f"{NAME}.{options.namespace}.svc"
    authority = {
        "isCA": True,
        "commonName": _CA,
        "secretName": _CA,
        "duration": "87600h",
        "privateKey": {**_KEY, "rotationPolicy": "Never"},
        "issuerRef": _reference(_ROOT),
    }
    leaf = {
        "secretName": MOUNTED_SECRET,
        "dnsNames": [inside, f"{inside}.{domain}"],
        "duration": "2160h",
        "renewBefore": "720h",
        "privateKey": dict(_KEY),
        "usages": ["digital signature", "server auth"],
        "issuerRef": _reference(_CA),
    }
    return [
        _object(options, "Issuer", _ROOT, {"selfSigned": {}}),
        _object(options, "Certificate", _CA, authority),
        _object(options, "Issuer", _CA, {"ca": {"secretName": _CA}}),
        _object(options, "Certificate", NAME, leaf),
    ]


def _reference(name: str) -> Object:
    return {"group": "cert-manager.io", "kind": "Issuer", "name": name}


def _object(options: Options, kind: str, name: str, spec: dict[str, Any]) -> Object:
    about = metadata(options, name)
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": about, "spec": spec}
