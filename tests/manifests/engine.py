"""Helm's template engine and Prometheus' parser, built once into a cache outside the tree.

`python -m tests.manifests.engine` asks them about what we render and writes `readings.json`; the tests of every
day compare with that file, `make nightly` asks the engines again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

from webhook.manifests.alerts import alerts
from webhook.manifests.chart import tree
from webhook.manifests.dashboard import expressions
from webhook.manifests.options import Object, Options
from webhook.manifests.render import key

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SOURCES = HERE / "engines"
READINGS = HERE / "readings.json"
CHART = ROOT / "charts" / "skyhook-webhook"
NAMESPACE = "guards"
SETTINGS = {"mode": "enforce", "profiles": ["skyhook", "nodewright"]}
OPTIONS = Options(version="0.1.0", settings=SETTINGS)
_GRAFANA = {"$__rate_interval": "5m", "$__range": "6h"}


class GoMissingError(Exception):
    """Nothing is built yet, and there is no Go to build it with."""


def binary() -> Path:
    """The program of `engines/`, built when it is not in the cache. Raises GoMissingError."""
    digest = hashlib.sha256(platform.machine().encode())
    for name in ("main.go", "go.mod", "go.sum"):
        digest.update((SOURCES / name).read_bytes())
    folder = Path.home() / ".cache" / "skyhook-webhook" / "engines"
    built = folder / digest.hexdigest()[:12]
    if built.exists():
        return built
    if shutil.which("go") is None:
        raise GoMissingError
    folder.mkdir(parents=True, exist_ok=True)
    partial = built.with_suffix(f".{os.getpid()}")
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"]
    env = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    subprocess.run([*command, "-o", str(partial), "."], cwd=SOURCES, env=env, check=True)
    partial.replace(built)
    return built


def ask(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One answer for each request; see `engines/main.go`."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([binary()], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def rendered(values: list[dict[str, Any]]) -> list[list[Object]]:
    """What Helm makes of the checked-in chart, for each set of values."""
    asked = [{"chart": str(CHART), "namespace": NAMESPACE, "values": one} for one in values]
    return [_objects(answer) for answer in ask(asked)]


def _objects(answer: dict[str, Any]) -> list[Object]:
    if "error" in answer:
        raise AssertionError(answer["error"])
    texts = (text for name, text in answer["files"].items() if name.endswith(".yaml"))
    return [obj for text in texts for obj in yaml.safe_load_all(text) if obj is not None]


def digest(objects: list[Object]) -> str:
    """The same for the same objects in any order, settings compared by what they say."""
    comparable = sorted((normalised(obj) for obj in objects), key=lambda obj: str(key(obj)))
    return hashlib.sha256(json.dumps(comparable, sort_keys=True).encode()).hexdigest()


def normalised(obj: Object) -> Object:
    """Without what the way of installing decides: who manages it, and how its settings are written."""
    text = json.dumps(obj)
    for manager in ("Helm", "skyhook-webhook"):
        text = text.replace(f'"app.kubernetes.io/managed-by": "{manager}"', '"managed": "by"')
    found: Object = json.loads(text)
    for name, document in (found.get("data") or {}).items():
        if name == "settings.yaml":
            found["data"][name] = yaml.safe_load(document)
    return found


def chart_digest() -> str:
    """Of the chart's files as we render them."""
    files = sorted(tree(OPTIONS).items())
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()


def queries() -> list[str]:
    """Every query of ours, Grafana's variables replaced as Grafana does."""
    found = [alert.expression for alert in alerts(OPTIONS)] + expressions()
    for name, value in _GRAFANA.items():
        found = [query.replace(name, value) for query in found]
    return found


def readings(values: list[dict[str, Any]]) -> dict[str, Any]:
    """What the engines say now."""
    asked = queries()
    metrics = dict(zip(asked, ask([{"query": query} for query in asked]), strict=True))
    return {
        "chart": chart_digest(),
        "renderings": [
            {"values": one, "objects": digest(objects)}
            for one, objects in zip(values, rendered(values), strict=True)
        ],
        "queries": {query: answer.get("metrics", answer) for query, answer in metrics.items()},
    }


if __name__ == "__main__":
    from tests.manifests.choices import CHOICES

    said = readings([values for values, _ in CHOICES])
    READINGS.write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")
