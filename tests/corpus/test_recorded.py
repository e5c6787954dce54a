"""The checked-in recordings: whole, small, free of host paths, and what the index says."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from tests.corpus import distill, reading
from tests.corpus.differences import MISSING, differences
from tests.corpus.kinds import kind

needs_shared = pytest.mark.skipif(not reading.SHARED.is_dir(), reason="no full recordings here")


def counts() -> Counter[str]:
    names = [path.name for path in reading.files(reading.CHECKED_IN)]
    return Counter(
        {name: sum(1 for _ in reading.lines(reading.CHECKED_IN, names=[name])) for name in names}
    )


def test_the_checked_in_set_stays_below_its_limit() -> None:
    size = sum(path.stat().st_size for path in reading.files(reading.CHECKED_IN))
    assert 1_000_000 < size <= distill.LIMIT


def test_the_index_counts_the_files_as_they_are() -> None:
    text = (reading.CHECKED_IN / "INDEX.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| ([\d,]+) \| ([\d,]+) \|$", text, re.MULTILINE)
    stated = {name: (int(n.replace(",", "")), int(b.replace(",", ""))) for name, n, b in rows}
    files = {path.name: path for path in reading.files(reading.CHECKED_IN)}
    assert stated == {name: (count, files[name].stat().st_size) for name, count in counts().items()}
    assert f"seed {distill.SEED}" in text


def test_every_line_is_a_review_with_scenario_and_seq() -> None:
    for review in reading.reviews(reading.CHECKED_IN):
        assert review["kind"] == "AdmissionReview"
        assert isinstance(review["scenario"], str)
        assert isinstance(review["seq"], int)
        assert review["request"]["uid"]


def test_the_twelve_exceptions_are_in_and_are_what_they_are_said_to_be() -> None:
    found = reading.reviews(reading.CHECKED_IN, names=[reading.EXCEPTION_FILE])
    users = {reading.origin(r): r["request"]["userInfo"]["username"] for r in found}
    assert users.keys() == reading.EXCEPTIONS
    assert {users[key] for key in reading.DAMAGE} == {"platform-admin"}
    assert users[reading.ECHO].endswith(":skyhook-operator-controller-manager")


def test_distilled_yields_each_review_once_and_nothing_that_was_refused() -> None:
    seen = [review["request"]["uid"] for review in reading.distilled()]
    refused = reading.reviews(reading.CHECKED_IN, names=[reading.REJECTED_FILE])
    assert len(seen) == len(set(seen)) > 3000
    assert not {r["request"]["uid"] for r in refused} & set(seen)


@pytest.mark.parametrize("scenario", distill.REPLAYED)
def test_a_replayed_scenario_has_all_its_writes_in_order(scenario: str) -> None:
    name = f"{reading.REPLAY_PREFIX}{scenario}.jsonl.gz"
    found = list(reading.reviews(reading.CHECKED_IN, names=[name]))
    refused = {
        reading.origin(r)
        for r in reading.reviews(reading.CHECKED_IN, names=[reading.REJECTED_FILE])
    }
    seqs = [review["seq"] for review in found]
    assert seqs == [n for n in range(1, seqs[-1] + 1) if (scenario, n) not in refused]


def test_no_review_names_a_path_of_the_host() -> None:
    marks = distill.HOST_PATHS
    assert not [ln[:80] for ln in reading.lines(reading.CHECKED_IN) if any(m in ln for m in marks)]


@needs_shared
def test_damage_json_lists_the_same_writes() -> None:
    assert {(d["scenario"], d["seq"]) for d in reading.damage()} == reading.DAMAGE


@needs_shared
@pytest.mark.nightly
def test_every_kind_of_change_ever_recorded_is_checked_in() -> None:
    recorded = {kind(review) for review in reading.reviews(reading.SHARED)}
    assert recorded == {kind(review) for review in reading.distilled()}


@needs_shared
@pytest.mark.nightly
def test_distilling_again_chooses_the_same_reviews() -> None:
    chosen = distill.choose(reading.SHARED, distill.SEED)
    again = chosen.distilled(distill.LARGEST_DRAWN)
    assert again == list(reading.lines(reading.CHECKED_IN, names=[reading.DISTILLED]))


def test_differences_walk_conditions_by_type_and_look_into_node_annotations() -> None:
    key = "skyhook.nvidia.com/nodeState_gpu"
    old = {"conditions": [{"type": "A", "status": "True"}], key: '{"a|1":{"stage":"apply"}}'}
    new = {"conditions": [{"type": "B"}, {"type": "A", "status": "False"}]}
    new |= {key: '{"a|1": {"stage": "config"}}'}  # type: ignore[dict-item]
    assert list(differences(old, new)) == [
        (("conditions", "A", "status"), "True", "False"),
        (("conditions", "B"), MISSING, {"type": "B"}),
        ((key, "a|1", "stage"), "apply", "config"),
    ]


def test_differences_tell_true_from_one_and_absent_from_null() -> None:
    assert list(differences({"a": True, "b": None}, {"a": 1})) == [
        (("a",), True, 1),
        (("b",), None, MISSING),
    ]


def test_a_kind_keeps_old_and_new_words_together_and_no_names() -> None:
    rng = Random(distill.SEED)
    reviews = [r for r in reading.distilled() if rng.random() < 0.1]
    words = [word for review in reviews for word in kind(review)[4:]]
    assert any(re.fullmatch(r"annotation [a-z-]+/\w+ -> [a-z-]+/\w+", word) for word in words)
    assert not [word for word in words if re.search(r"node-\d|kind-worker", word)]
