"""Files, folders and standard input, in whichever form they hold their documents."""

from __future__ import annotations

import gzip
import io
import os
import threading
from typing import TYPE_CHECKING

import pytest

from webhook.documents import DocumentError, Form, Input, walk_inputs
from webhook.documents import inputs as inputs_module

if TYPE_CHECKING:
    from pathlib import Path

REVIEWS = b'{"kind": "AdmissionReview"}\n{"kind": "AdmissionReview"}\n'


def names(root: Path, *paths: str) -> list[str]:
    found = walk_inputs([str(root / path) for path in paths])
    return [os.path.relpath(source.name, root) for source in found]


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"name: {path}\n")


def test_folders_give_their_documents_sorted(tmp_path: Path) -> None:
    write(
        tmp_path, "f/b.yaml", "f/a.yml", "f/c/x.json", "f/c/y.JSON.GZ", "f/d.jsonl", "f/d.jsonl.gz",
        "f/README.md", "f/x.yaml.bak", "f/values.yaml.gz", "f/.git/x.yaml", "f/.hidden.yaml", "f/0.yaml",
    )  # fmt: skip
    assert names(tmp_path, "f") == [
        "f/0.yaml", "f/a.yml", "f/b.yaml", "f/c/x.json", "f/c/y.JSON.GZ", "f/d.jsonl", "f/d.jsonl.gz",
    ]  # fmt: skip


def test_paths_come_in_the_order_given_whatever_their_names(tmp_path: Path) -> None:
    write(tmp_path, "z.txt", "f/a.yaml", ".hidden")
    assert names(tmp_path, "z.txt", "f", ".hidden") == ["z.txt", "f/a.yaml", ".hidden"]


def test_links_that_lead_round_end(tmp_path: Path) -> None:
    write(tmp_path, "f/a.yaml", "f/g/b.yaml")
    (tmp_path / "f/g/up").symlink_to(tmp_path / "f")
    (tmp_path / "f/self.yaml").symlink_to(tmp_path / "f/self.yaml")
    (tmp_path / "f/same").symlink_to(tmp_path / "f/g")
    (tmp_path / "f/z.yaml").symlink_to(tmp_path / "f/a.yaml")
    assert names(tmp_path, "f") == ["f/a.yaml", "f/g/b.yaml", "f/self.yaml", "f/z.yaml"]


def test_a_mounted_config_map_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "m/..2026/a.yaml")
    (tmp_path / "m/..data").symlink_to("..2026")
    (tmp_path / "m/a.yaml").symlink_to("..data/a.yaml")
    assert names(tmp_path, "m") == ["m/a.yaml"]


def test_a_pipe_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "f/a.yaml")
    os.mkfifo(tmp_path / "f/b.yaml")
    assert names(tmp_path, "f") == ["f/a.yaml"]


def test_a_missing_path_is_an_error_before_anything_is_read(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    with pytest.raises(DocumentError, match=r"b\.yaml: no such file or folder"):
        walk_inputs([str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")])
    with pytest.raises(DocumentError, match="more than once"):
        walk_inputs(["-", "-"])


def test_a_broken_link_is_an_error_when_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nothing")
    (source,) = walk_inputs([str(tmp_path)])
    for use in (source.read, source.open, lambda: list(source.lines())):
        with pytest.raises(DocumentError, match=r"a\.yaml: cannot be read: No such file"):
            use()


def test_a_folder_that_cannot_be_listed_is_an_error_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "f/a/x.yaml", "f/b/y.yaml")
    listing = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert names(tmp_path, "f") == ["f/a", "f/b/y.yaml"]
    with pytest.raises(DocumentError, match="cannot be read"):
        Input(str(tmp_path / "f/a")).read()


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a.yaml", REVIEWS, Form.DOCUMENTS),
        ("a.jsonl", b'{\n"a": 1}', Form.LINES),
        ("a.JSONL.gz", b"", Form.LINES),
        ("a.json", REVIEWS, Form.LINES),
        ("a.json", b"\xef\xbb\xbf" + REVIEWS, Form.LINES),
        ("a.json.gz", gzip.compress(REVIEWS), Form.LINES),
        ("a.json", gzip.compress(REVIEWS), Form.LINES),
        ("a.json", b'{"kind": "AdmissionReview"}\n', Form.DOCUMENTS),
        ("a.json", b'{"kind": "AdmissionReview"}\n---\n', Form.DOCUMENTS),
        ("a.json", b'{\n  "a": {}\n}\n{\n}\n', Form.DOCUMENTS),
        ("a.json", b'[{"a": 1}]\n', Form.DOCUMENTS),
        ("a.json", b"", Form.DOCUMENTS),
        ("a.txt", b"kind: Skyhook\n", Form.DOCUMENTS),
        ("a.txt", REVIEWS, Form.LINES),
        ("a.json", gzip.compress(REVIEWS)[:30], Form.DOCUMENTS),
        ("a.json", b'{"a": "' + b"x" * 17_000_000, Form.LINES),
    ],
)
def test_the_form_is_told_by_name_or_beginning(
    tmp_path: Path, name: str, content: bytes, form: Form
) -> None:
    (tmp_path / name).write_bytes(content)
    for source in (Input(str(tmp_path / name)), Input(name, io.BytesIO(content))):
        assert source.form is form
        assert source.form is form


def test_what_was_looked_at_is_read_again_from_a_stream() -> None:
    (source,) = walk_inputs(["-"], io.BytesIO(REVIEWS))
    assert source.name == "<stdin>"
    assert source.form is Form.LINES
    assert [number for number, _ in source.lines()] == [1, 2]
    (source,) = walk_inputs(["-"], io.BytesIO(b"a: 1\n---\nb: 2\n"))
    assert source.form is Form.DOCUMENTS
    assert [d.value for d in source.documents()] == [{"a": 1}, {"b": 2}]
    assert next(iter(Input("-", io.BytesIO(b"a: 1")).documents())).source == "-"


def test_an_error_met_while_looking_is_met_by_the_reader() -> None:
    source = Input("<stdin>", io.BytesIO(gzip.compress(b"a: 1\n")[:-9]))
    assert source.form is Form.DOCUMENTS
    with pytest.raises(DocumentError, match="cut off"):
        source.read()


def test_a_named_pipe_is_read_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(REVIEWS,))
    writer.start()
    (source,) = walk_inputs([str(path)])
    assert source.form is Form.LINES
    assert len(list(source.lines())) == 2
    writer.join()


def test_open_gives_unpacked_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"[1]" * 200_000))
    source = Input(str(tmp_path / "a.json.gz"))
    with source.open() as stream:
        assert stream.read(4) == b"[1]["
        assert len(stream.read()) == 600_000 - 4
    assert source.read() == b"[1]" * 200_000


def test_a_text_beyond_the_limit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs_module, "MAX_TEXT", 1000)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"x" * 100_000))
    with pytest.raises(DocumentError, match="larger than 1000 bytes"):
        Input(str(tmp_path / "a.json.gz")).read()
    (tmp_path / "b.json").write_bytes(b"x" * 1000)
    assert len(Input(str(tmp_path / "b.json")).read()) == 1000


def test_standard_input_is_the_processs_own_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n")))
    (source,) = walk_inputs(["-"])
    assert source.read() == b"a: 1\n"
