"""Questions for Go's own code, and its answers, which the tests read: answers.jsonl.gz here and in tests/schema.

    (in tests/controlplane) go build -o KUBE ../specs/oracle/main.go
    (in a module with golang.org/x/mod) go build -o SEMVER version/main.go
    python -m tests.specs.oracle.questions KUBE SEMVER

The seed is fixed, so the same questions come out. Answers: Kubernetes 1.34.4, x/mod 0.32.0, Go 1.26.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ANSWERS = HERE / "answers.jsonl.gz"
SCHEMA_ANSWERS = ROOT / "tests" / "schema" / "answers.jsonl.gz"
SEED = 20261129
EACH = 500
OBJECTS = 300

VERSIONS = [
    "1.2.3",
    "v1.2.3",
    "1",
    "1.2",
    "v1",
    "1.2.3-rc.1",
    "1.2.3-rc.1+b.2",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-0.3.7",
    "1.0.0-x-y-z.--",
    "10.20.30",
    "1.1.2+meta",
    "1.0.0-01",
    "1-rc",
    "1.2-rc",
    "not-a-version",
    "v",
    "1.0.0+",
    "0.0.0",
    "999999999999999999999.1.1",
    "1.0.0-1",
    "1.0.0-10",
    "1.0.0-2a",
    "V1.2.3",
    "01.2.3",
    "1.2.3.4",
]
QUANTITIES = [
    "1",
    "0",
    "100m",
    "1.5Gi",
    "1e3",
    "1E3",
    "2Ki",
    "-1",
    "+5",
    "0.5",
    "1.",
    "5k",
    ".5",
    "1e-3",
    "999999999999999999999Ei",
    "0.0000000001",
    "1n",
    "1u",
    "123456789012345678901234567890",
    "1Ti",
    "0.1Ki",
    "1.1Mi",
    "9223372036854775807",
    "8Ei",
    "7Ei",
    "1.5E",
    "12e6",
    "1G",
    "1000M",
    "1M",
    "1024Ki",
    "1000000000n",
    "0Ki",
    "-0",
    "-100m",
    "-1Gi",
    "0.00000000051",
    "1GB",
    "2gi",
]
PATTERNS = [
    "*.conf",
    "a.conf",
    "*",
    "a*b",
    "[a-c]*",
    "?*",
    "\\*x",
    "a[^b]c",
    "*/b",
    "[]a]",
    "[a-",
    "*.s[hi]",
    "a**b",
    "[^/]*",
    "ab*cd*ef",
]
FILES = [
    "a.conf",
    "b.sh",
    "abc",
    "a/b",
    "aXb",
    "*x",
    "axxbyy",
    "",
    "abcdXcdefYef",
    "é.conf",
    "]",
    "a-c",
]
NAMES = ["gpu", "a.b-c", "A", "-a", "a-", "a..b", "x" * 253, "x" * 254, "", ".a", "a_b"]
KEYS = ["a", "node.example/role", "A_b.c", "x/y/z", "/a", "a/", "-a", "a" * 63, "a" * 64, "é", "A.b/c",
        "b" * 253 + "/c", "b" * 254 + "/c", ""]  # fmt: skip
VALUES = ["", "gpu", "true", "-x", "x-", "a" * 63, "a" * 64, "a b", "a_b.C"]
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "in", "Equals", ""]
SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 5, 100, 101, 3.0, 3.5, 1e30, 2**63, 2**63 - 1, 2**53 + 1, "", "a", "1",
    "true", "gpu", "reboot", "500m", "1 Gi", "2026-05-01T09:00:00Z", "2026-05-01", "2026-13-01T09:00:00Z",
    "2026-05-01t09:00:00.123+01:00", "Ready", "a/b/c", "x" * 400, "a b", {}, {"a": None}, {"x": "y"},
]  # fmt: skip
TEXTS = {
    "date-time": ["2026-05-01T09:00:00Z"] * 6 + ["2026-05-01", "2026-05-01t09:00:00.1z", "2026-02-30T09:00:00Z"],
    "pattern": ["gpu-x", "Ready", "skyhook.nvidia.com/Ready", "a", "x" * 330, "-bad", "sha256:" + "a" * 64, "a\n"],
}  # fmt: skip
KINDS = {
    "skyhook.nvidia.com/Skyhook": "skyhooks",
    "nodewright.nvidia.com/NodeWright": "nodewrights",
    "skyhook.nvidia.com/DeploymentPolicy": "deploymentpolicies",
}
_FAR = re.compile("[eE][+-]?0*[0-9]{3}")  # Go would work out all digits


class Questions:
    """All questions, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rnd = random.Random(seed)

    def near(self, words: list[str], alphabet: str) -> str:
        """A word with up to two characters changed."""
        text = list(self.rnd.choice(words))
        for _ in range(self.rnd.randint(0, 2)):
            place, char = self.rnd.randint(0, len(text)), self.rnd.choice(alphabet)
            text[place : place + self.rnd.randint(0, 1)] = [char] * self.rnd.randint(0, 1)
        return "".join(text)

    def versions(self) -> list[dict[str, Any]]:
        alphabet = "0123456789.-+vaAz "
        return [
            {"text": self.near(VERSIONS, alphabet), "other": self.near(VERSIONS, alphabet)}
            for _ in range(EACH)
        ]

    def quantities(self) -> list[dict[str, Any]]:
        alphabet = "0123456789.-+eEinumkKMGTPi "
        found = [
            {
                "ask": "quantity",
                "text": self.near(QUANTITIES, alphabet),
                "other": self.near(QUANTITIES, alphabet),
            }
            for _ in range(EACH)
        ]
        return [q for q in found if not _FAR.search(f"{q['text']} {q['other']}")]

    def matches(self) -> list[dict[str, Any]]:
        return [
            {
                "ask": "match",
                "text": self.near(PATTERNS, "abc*?[]^-\\/.é"),
                "other": self.near(FILES, "abc/.xé-]"),
            }
            for _ in range(EACH)
        ]

    def names(self) -> list[dict[str, Any]]:
        return [{"ask": "name", "text": self.near(NAMES, "ab.-_A/")} for _ in range(EACH // 2)]

    def selectors(self) -> list[dict[str, Any]]:
        return [{"ask": "selector", "selector": self._selector()} for _ in range(EACH)]

    def _selector(self) -> dict[str, Any]:
        selector: dict[str, Any] = {}
        if self.rnd.random() < 0.6:
            selector["matchLabels"] = {
                self._key(): self._value() for _ in range(self.rnd.randint(0, 2))
            }
        if self.rnd.random() < 0.7:
            count = self.rnd.randint(0, 2)
            selector["matchExpressions"] = [self._expression() for _ in range(count)]
        return selector

    def _key(self) -> str:
        return self.near(KEYS, "ab/.-_") if self.rnd.random() < 0.3 else self.rnd.choice(KEYS[:3])

    def _value(self) -> str:
        return (
            self.near(VALUES, "ab-_ ") if self.rnd.random() < 0.3 else self.rnd.choice(VALUES[:3])
        )

    def _expression(self) -> dict[str, Any]:
        legal = self.rnd.random() < 0.8
        found: dict[str, Any] = {
            "key": self._key(),
            "operator": self.rnd.choice(OPERATORS[:4] if legal else OPERATORS),
        }
        if self.rnd.random() < 0.7:
            found["values"] = [self._value() for _ in range(self.rnd.randint(0, 2))]
        return found

    def objects(self, name: str, schema: dict[str, Any]) -> list[dict[str, Any]]:
        found = []
        while len(found) < OBJECTS:
            value = self._object(schema)
            if isinstance(value, dict):
                kind = {"apiVersion": "a/v1", "kind": name, "metadata": {"name": "x"}}
                found.append(
                    {"ask": "schema", "schema": json.dumps(schema), "value": {**value, **kind}}
                )
        return found

    def _object(self, schema: dict[str, Any]) -> Any:
        rnd = self.rnd
        if rnd.random() < 0.04:
            return copy.deepcopy(rnd.choice(SCALARS))
        if "enum" in schema:
            return rnd.choice(schema["enum"] + ["bogus"] * (rnd.random() < 0.2))
        if schema.get("x-kubernetes-int-or-string"):
            return rnd.choice([1, "500m", "1Gi", 0, "x", 2.5])
        match schema.get("type"):
            case "object":
                return self._fields(schema)
            case "array":
                return [self._object(schema["items"]) for _ in range(rnd.randint(0, 3))]
            case "integer":
                return rnd.choice(
                    [1, 2, 50, 100, 0, -1, 3.0] if rnd.random() < 0.3 else [2, 50, 100]
                )
            case "boolean":
                return rnd.random() < 0.5
        texts = TEXTS.get(schema.get("format", "")) or TEXTS.get(
            "pattern" if "pattern" in schema else ""
        )
        return rnd.choice(texts or ["a", "1.2.3", "x y", ""])

    def _fields(self, schema: dict[str, Any]) -> dict[str, Any]:
        rnd = self.rnd
        found = {}
        for key, below in schema.get("properties", {}).items():
            if rnd.random() < (0.93 if key in schema.get("required", ()) else 0.35):
                found[key] = self._object(below)
        if "additionalProperties" in schema:
            for _ in range(rnd.randint(0, 2)):
                key = rnd.choice(["foo", "bar", "Foo_1", "n1", "p|1"])
                found[key] = self._object(schema["additionalProperties"])
        if rnd.random() < 0.04:
            found[rnd.choice(["unknwon", "Type", "nodeselectors"])] = copy.deepcopy(
                rnd.choice(SCALARS)
            )
        return found


def ask(program: str, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each question with its answer."""
    text = "".join(json.dumps(q) + "\n" for q in questions)
    out = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    pairs = zip(questions, out.splitlines(), strict=True)
    return [{**question, "answer": json.loads(answer)} for question, answer in pairs]


def store(path: Path, found: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(one, sort_keys=True) + "\n" for one in found)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def load(path: Path, kind: str) -> list[dict[str, Any]]:
    """The stored questions of one kind, with their answers."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return [one for one in map(json.loads, lines) if one["ask"] == kind]


def main(kube: str, semver: str) -> None:
    make = Questions(SEED)
    versions = [{**one, "ask": "version"} for one in ask(semver, make.versions())]
    others = [*make.quantities(), *make.matches(), *make.names(), *make.selectors()]
    store(ANSWERS, [*versions, *ask(kube, others)])
    objects = []
    for name, file in KINDS.items():
        crd = yaml.safe_load((ROOT / "manifests" / "crds" / f"{file}.yaml").read_text())
        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        answered = ask(kube, make.objects(name, schema))
        objects.extend({**one, "schema": name} for one in answered)
    store(SCHEMA_ANSWERS, objects)


if __name__ == "__main__":
    main(*sys.argv[1:])
