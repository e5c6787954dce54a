"""The base, the overlays and what they are made of, as files that kustomize reads.

Overlays are components where they can be combined; the folders under `manifests/overlays` are the usual
combinations, ready to apply.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from webhook.documents import dump_yaml
from webhook.manifests.difference import patch
from webhook.manifests.options import NAME, SETTINGS, SETTINGS_FILE, Object, Options, Tls, labels
from webhook.manifests.overlays import OVERLAYS
from webhook.manifests.render import key, render

if TYPE_CHECKING:
    from collections.abc import Iterable

_API: Final = "kustomize.config.k8s.io"
_MADE: Final = "# Made by `skyhook-webhook manifests --format kustomize`; a test compares. Change the program, not the file.\n"
_COMPONENTS: Final = {
    "self-signed": "certs/self-signed",
    "cert-manager": "certs/cert-manager",
    **{
        name: f"manifests/components/{name}"
        for name in ("audit-only", "nodewright", "conversion", "monitoring", "cross-check")
    },
}
READY: Final = {
    "self-signed": ("self-signed",),
    "cert-manager": ("cert-manager",),
    "audit-only": ("self-signed", "audit-only"),
    "nodewright": ("self-signed", "nodewright"),
    "conversion": ("self-signed", "conversion"),
}
"""The folders under `manifests/overlays`, and the components in each."""


def tree(options: Options) -> dict[str, str]:
    """Every file, by its path from the root of the repository.

    Raises:
        ManifestError: see `render`.
        SettingsError, ProfileError: see `render`.
    """
    plain = replace(options, tls=Tls.MOUNTED)
    files = _base(plain)
    for name, folder in _COMPONENTS.items():
        files |= _component(name, folder, plain)
    for name, components in READY.items():
        wanted = {
            "resources": ["../../base"],
            "components": [f"../../../{_COMPONENTS[one]}" for one in components],
        }
        about = "\n".join(f"# {one}: {OVERLAYS[one].about}" for one in components)
        path = f"manifests/overlays/{name}/kustomization.yaml"
        files[path] = f"{_MADE}{about}\n{_kustomization('Kustomization', 'v1beta1', wanted)}"
    return files


def _base(options: Options) -> dict[str, str]:
    objects = [obj for obj in _objects(options) if not _is_settings(obj)]
    wanted = {
        "resources": [_file(obj) for obj in objects],
        # With a digest of the content in its name: other settings make other Pods.
        "configMapGenerator": [
            {
                "name": SETTINGS,
                "namespace": options.namespace,
                "files": [SETTINGS_FILE, *options.profile_files],
            }
        ],
        "generatorOptions": {"labels": labels(options)},
    }
    for obj in objects:
        if obj["kind"] == "Deployment":
            del obj["spec"]["template"]["metadata"]["annotations"]
    files = {f"manifests/base/{_file(obj)}": _MADE + dump_yaml(obj) for obj in objects}
    files[f"manifests/base/{SETTINGS_FILE}"] = (
        "# The settings of skyhook-webhook; the README lists them all.\n"
        + dump_yaml(options.document)
    )
    files |= {f"manifests/base/{name}": text for name, text in options.profile_files.items()}
    made = _kustomization("Kustomization", "v1beta1", wanted)
    files["manifests/base/kustomization.yaml"] = _MADE + made
    return files


def _component(name: str, folder: str, options: Options) -> dict[str, str]:
    """What an overlay adds to the base, and a patch for each object that it changes."""
    # What conversion changes is there in the self-signed mode alone.
    options = replace(options, tls=Tls.SELF_SIGNED) if OVERLAYS[name].conversion else options
    before = {key(obj): obj for obj in _objects(options)}
    files, resources, patches = {}, [], []
    for obj in _objects(OVERLAYS[name].applied(options)):
        old = before.get(key(obj))
        if old is None:
            resources.append(_file(obj))
            files[f"{folder}/{_file(obj)}"] = _MADE + dump_yaml(obj)
        elif changes := patch(old, obj):
            path = f"patch-{_file(obj)}"
            target = {"kind": obj["kind"], "name": obj["metadata"]["name"]}
            patches.append({"path": path, "target": target})
            files[f"{folder}/{path}"] = _MADE + dump_yaml(changes)
    wanted = {"resources": resources, "patches": patches}
    made = _kustomization("Component", "v1alpha1", {k: v for k, v in wanted.items() if v})
    files[f"{folder}/kustomization.yaml"] = f"{_MADE}# {OVERLAYS[name].about}\n{made}"
    return files


def _objects(options: Options) -> list[Object]:
    return render(options)


def _is_settings(obj: Object) -> bool:
    return (obj["kind"], obj["metadata"]["name"]) == ("ConfigMap", SETTINGS)


def _file(obj: Object) -> str:
    """`service.yaml`, `service-metrics.yaml`: the kind, and what the name has beside ours."""
    further = obj["metadata"]["name"].removeprefix(NAME)
    return f"{obj['kind'].lower()}{'' if obj['kind'] == 'Namespace' else further}.yaml"


def _kustomization(kind: str, version: str, fields: Iterable[tuple[str, object]] | Object) -> str:
    return dump_yaml({"apiVersion": f"{_API}/{version}", "kind": kind, **dict(fields)})
