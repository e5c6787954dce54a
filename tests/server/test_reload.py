"""Settings change without a restart; a bad edit changes nothing but log, metric and readiness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lifecycle.skyhook import entry, node
from tests.reviews.builders import PERSON, body
from tests.server.process import serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.process import Serving


def step() -> bytes:
    old, new = (node({"foo|1.0": entry(p)}) for p in ("apply/in_progress", "interrupt/skipped"))
    sent: bytes = body(old, new, PERSON)
    return sent


def allowed(running: Serving) -> bool:
    found: bool = running.call(step()).json["response"]["allowed"]
    return found


def test_a_change_takes_effect_and_a_bad_one_does_not(tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("mode: enforce\n")
    with serving(tmp_path / "server", "--config", str(config)) as running:
        assert not allowed(running)
        assert "skyhook_webhook_settings_generation 1.0" in running.metrics()

        config.write_text("mode: audit\nworkers: 2\n")
        said = running.event("settings")
        assert (said["generation"], said["changed"]) == (2, ["mode"])
        assert running.event("these settings wait for a restart")["settings"] == ["workers"]
        assert allowed(running)
        assert "skyhook_webhook_settings_generation 2.0" in running.metrics()

        here = len(running.lines)
        config.write_text("mode: sometimes\n")
        refused = running.event("settings refused", here)
        assert "mode" in refused["why"]
        assert refused["generation"] == 2
        assert allowed(running), "what was in force stays in force"
        assert "skyhook_webhook_settings_broken 1.0" in running.metrics()
        ready = running.ready()
        assert ready.status == 200
        assert ready.body.startswith(
            b"ok\nsettings: generation 2 stays in force; the file is refused: "
        )

        here = len(running.lines)
        config.unlink()
        assert running.event("settings refused", here)
        here = len(running.lines)
        config.write_text("mode: enforce\n")
        assert running.event("settings", here)["generation"] == 3
        assert not allowed(running)
        assert running.ready().body == b"ok\n"
        assert "skyhook_webhook_settings_broken 0.0" in running.metrics()


def test_a_mounted_configmap_and_a_profile_of_ones_own_are_followed(tmp_path: Path) -> None:
    """kubelet swaps a link to a folder; the file's own path and inode tell nothing."""
    for name, mode in (("one", "enforce"), ("two", "audit")):
        (tmp_path / name).mkdir()
        profile = tmp_path / "own.yaml"
        (tmp_path / name / "settings.yaml").write_text(
            f"mode: {mode}\nprofiles: [skyhook, {profile}]\n"
        )
    data, config = tmp_path / "..data", tmp_path / "settings.yaml"
    data.symlink_to("one")
    config.symlink_to("..data/settings.yaml")
    profile.write_text(PROFILE.replace("NAME", "Old"))
    with serving(tmp_path / "server", "--config", str(config)) as running:
        assert not allowed(running)
        swap = tmp_path / "..tmp"
        swap.symlink_to("two")
        swap.rename(data)
        assert running.event("settings")["changed"] == ["mode"]
        assert allowed(running)
        here = len(running.lines)
        profile.write_text("profile: [")
        assert running.event("settings refused", here)
        here = len(running.lines)
        profile.write_text(PROFILE.replace("NAME", "New"))
        assert running.event("settings", here)["generation"] == 3


def test_a_folder_of_profiles_is_followed_and_a_bad_one_in_it_changes_nothing(
    tmp_path: Path,
) -> None:
    folder, config = tmp_path / "profiles", tmp_path / "settings.yaml"
    folder.mkdir()
    (folder / "one.yaml").write_text(PROFILE.replace("NAME", "One"))
    config.write_text(f"profiles: [skyhook, {folder}]\n")
    with serving(tmp_path / "server", "--config", str(config)) as running:
        two = folder / "two.yaml"
        two.write_text("profile: two\n")
        assert "two.yaml" in running.event("settings refused")["why"]
        here = len(running.lines)
        two.write_text(PROFILE.replace("NAME", "Two").replace("own", "two"))
        assert running.event("settings", here)["generation"] == 2
        here = len(running.lines)
        two.unlink()
        assert running.event("settings", here)["generation"] == 3


PROFILE = """\
profile: own
about: A profile of one's own.
guards:
- match: {group: example.com, kind: NAME, versions: [v1]}
  tracks:
  - {id: phase, path: status.phase, values: [A, B], edges: {A: [B], B: []}}
"""
