"""Which files the setting ``profiles`` names: ours by name, a file, or a folder (a mounted ConfigMap, say)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from webhook import documents
from webhook.documents import DocumentError
from webhook.lifecycle.compile import ProfileError

if TYPE_CHECKING:
    from collections.abc import Iterable

FILES: Final = (".yaml", ".yml")
_EXAMPLES: Final = tuple(f".examples{end}" for end in FILES)


def is_path(name: str) -> bool:
    """Whether a name means something on disk, and no profile of ours."""
    return name.endswith(FILES) or "/" in name


def profile_names(names: Iterable[str]) -> list[str]:
    """The names, a folder's in the place of the folder.

    In a folder each YAML file is a profile, but for hidden ones (kubelet's ``..data``), bodies that
    others name, and examples (``*.examples.yaml``).

    Raises:
        ProfileError: a folder without any profile.
    """
    found: list[str] = []
    for name in names:
        if not (is_path(name) and Path(name).is_dir()):
            found.append(name)
            continue
        files = _files(Path(name))
        bodies = {body for file in files for body in _bodies(file)}
        inside = [str(file) for file in files if file not in bodies]
        if not inside:
            raise ProfileError(f"{name}: there is no profile (*.yaml) in this folder")
        found += inside
    return found


def files_of(names: Iterable[str]) -> list[Path]:
    """Every file that is read for these names, bodies too, whether it can be read or not."""
    found: list[Path] = []
    for name in names:
        if not is_path(name):
            continue
        path = Path(name)
        if path.is_dir():
            found += _files(path)
        else:
            found += [path, *_bodies(path)]
    return found


def texts_of(names: Iterable[str]) -> dict[str, str]:
    """Every such file by its base name, as they can lie in one folder elsewhere.

    Raises:
        ProfileError: one that cannot be read, two of one name, or a body that is not beside its
            profile.
    """
    found: dict[str, str] = {}
    for name in profile_names(names):
        for path in files_of([name]):
            if path.parent != Path(name).parent:
                raise ProfileError(f"{name}: body: {path} has to lie beside it to be moved")
            try:
                text = path.read_text()
            except (OSError, UnicodeDecodeError) as error:
                raise ProfileError(f"{path}: {error}") from None
            if found.setdefault(path.name, text) != text:
                raise ProfileError(f"{path}: there is another profile in a file of that name")
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.endswith(FILES)
        and not path.name.startswith(".")
        and not path.name.endswith(_EXAMPLES)
        and path.is_file()
    )


def _bodies(path: Path) -> list[Path]:
    try:
        document: Any = documents.load_yaml(path.read_bytes(), str(path))
    except (OSError, DocumentError):
        return []  # told by whoever needs it
    body = document.get("body") if isinstance(document, dict) else None
    return [path.parent / body] if isinstance(body, str) else []
