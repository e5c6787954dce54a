"""Public bug reports about specs: inputs of ../shared/cases, and the words they ask for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.conftest import SHARED
from tests.specs.write import package, review
from webhook.reviews.answer import answer
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

CASES = SHARED / "cases"
READ = pytest.mark.skipif(not CASES.is_dir(), reason="../shared is not beside this clone")


def response(engine: Engine, body: bytes) -> Any:
    request = request_of(decode_admission(body))
    verdict = engine.judge_request(request)
    return msgspec.to_builtins(answer(request, verdict))


@READ
@pytest.mark.parametrize("name", ["B02", "B04", "B05", "B17c", "B25a"])
def test_the_case_is_judged_as_it_asks(engine: Engine, name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    found = response(engine, msgspec.json.encode(case["request"]["body"]))
    assert found["allowed"] is case["expect"]["json"]["/response/allowed"], found
    if name == "B04":
        causes = found["status"]["details"]["causes"]
        assert {"spec", "status.nodeState"} <= {cause["field"] for cause in causes}


def uninstalled(count: int, *, apply: bool) -> dict[str, Any]:
    names = [f"pkg-{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count)]
    block = {"enabled": True, "apply": apply}
    return {"spec": {"packages": {name: package(uninstall=block) for name in names}}}


def test_sixty_cancelled_uninstalls_warn_within_the_limits_of_the_api_server(
    engine: Engine,
) -> None:
    found = response(engine, review(uninstalled(60, apply=False), uninstalled(60, apply=True)))
    assert found["allowed"] is True
    warnings = found["warnings"]
    assert max(map(len, warnings)) <= 256
    assert sum(map(len, warnings)) <= 4096
    assert all(text.isprintable() and not text.startswith("Warning:") for text in warnings)
    assert warnings[-1] == "46 more warnings were left out"


def test_a_few_cancelled_uninstalls_warn_once_for_each_package(engine: Engine) -> None:
    found = response(engine, review(uninstalled(3, apply=False), uninstalled(3, apply=True)))
    assert [text.partition(":")[0] for text in found["warnings"]] == [
        "spec.packages[pkg-aa].uninstall.apply",
        "spec.packages[pkg-ab].uninstall.apply",
        "spec.packages[pkg-ac].uninstall.apply",
    ]
