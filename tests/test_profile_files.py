"""A folder of profiles is the profiles in it; what is watched is all that was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webhook.building import catalog_of
from webhook.cli import main
from webhook.lifecycle.compile import ProfileError
from webhook.profile_files import files_of, profile_names
from webhook.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = """\
profile: {name}
about: Mine.
match: {{group: example.com, kind: {kind}, plural: {name}, versions: [v1]}}
tracks:
- {{id: phase, path: status.phase, values: [A, B], edges: {{A: [B], B: []}}}}
"""
BODY = """\
guards:
- match: {group: example.com, kind: Box, plural: boxes, versions: [v1]}
  tracks:
  - {id: phase, path: status.phase, values: [A, B], edges: {A: [B], B: []}}
"""


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    """As kubelet mounts a ConfigMap: links to a folder that is swapped as a whole."""
    data = tmp_path / "..2026_11_29"
    data.mkdir()
    (data / "b.yaml").write_text(PROFILE.format(name="b", kind="Bee"))
    (data / "a.yml").write_text(PROFILE.format(name="a", kind="Ant"))
    (data / "notes.txt").write_text("no profile")
    (tmp_path / "..data").symlink_to(data.name)
    for file in list(data.iterdir()):
        (tmp_path / file.name).symlink_to(f"..data/{file.name}")
    return tmp_path


def test_a_folder_stands_for_its_profiles_in_order(mounted: Path) -> None:
    names = profile_names(["skyhook", str(mounted)])
    assert names == ["skyhook", str(mounted / "a.yml"), str(mounted / "b.yaml")]
    catalog = catalog_of(Settings(profiles=["skyhook", f"{mounted}/"]))
    assert [profile.profile for profile in catalog.profiles] == ["skyhook", "a", "b"]


def test_a_body_beside_its_profile_is_none_itself_and_is_watched(mounted: Path) -> None:
    (mounted / "body.yaml").write_text(BODY)
    (mounted / "c.yaml").write_text("profile: c\nabout: Mine.\nbody: body.yaml\n")
    names = [str(mounted / name) for name in ("a.yml", "b.yaml", "c.yaml")]
    assert profile_names([str(mounted)]) == names
    assert files_of(["skyhook", names[2]]) == [mounted / "c.yaml", mounted / "body.yaml"]
    assert len(files_of([str(mounted)])) == 4
    assert len(catalog_of(Settings(profiles=[str(mounted)])).profiles) == 3


def test_the_verbs_that_make_profiles_take_folders_and_leave_examples_to_their_profiles(
    mounted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = "base: {}\ndeny:\n- {id: no-word, new: {status.phase: C}, rule: phase.value}\n"
    for name in ("a", "b"):
        (mounted / f"{name}.examples.yaml").write_text(examples)
    assert main(["profile", "check", f"{mounted}/"]) == 0
    assert capsys.readouterr().out.count("1 rules for") == 2
    assert main(["profile", "test", f"{mounted}/"]) == 0
    assert capsys.readouterr().out.count("1 of 1 examples as expected") == 2
    assert main(["profile", "check", "mounted"]) == 2
    assert "in a folder, with a / at its end" in capsys.readouterr().err


def test_a_folder_without_profiles_is_no_setting(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"there is no profile \(\*\.yaml\) in this folder"):
        profile_names([str(tmp_path)])


def test_what_is_no_profile_is_refused_with_its_name(mounted: Path) -> None:
    (mounted / "settings.yaml").write_text("mode: audit\n")
    with pytest.raises(ProfileError, match=r"settings\.yaml"):
        catalog_of(Settings(profiles=[str(mounted)]))
