"""YAML and JSON as people write them, read the way kubectl and kube-apiserver would, with positions.

The one home of PyYAML. Bytes become `Document`s: plain values, what is wrong with the text, and the line
and column of everything. Nothing here knows what a document means.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from webhook.documents.document import Document
    from webhook.documents.forms import Form
    from webhook.documents.inputs import Input, walk_inputs
    from webhook.documents.lines import read_lines
    from webhook.documents.loading import load_yaml
    from webhook.documents.position import Position, Steps
    from webhook.documents.problem import DocumentError, Problem, ProblemKind, Severity
    from webhook.documents.reading import read_documents
    from webhook.documents.writing import dump_yaml, to_json

__all__ = [
    "Document",
    "DocumentError",
    "Form",
    "Input",
    "Position",
    "Problem",
    "ProblemKind",
    "Severity",
    "Steps",
    "dump_yaml",
    "load_yaml",
    "read_documents",
    "read_lines",
    "to_json",
    "walk_inputs",
]

_HOMES: Final = {
    "Document": "document",
    "DocumentError": "problem",
    "Form": "forms",
    "Input": "inputs",
    "Position": "position",
    "Problem": "problem",
    "ProblemKind": "problem",
    "Severity": "problem",
    "Steps": "position",
    "dump_yaml": "writing",
    "load_yaml": "loading",
    "read_documents": "reading",
    "read_lines": "lines",
    "to_json": "writing",
    "walk_inputs": "inputs",
}


def __getattr__(name: str) -> Any:
    """A name from its module, loaded when it is first asked for: a server reads YAML, not manifests."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return found
