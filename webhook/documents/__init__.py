"""YAML and JSON as people write them, read the way kubectl and kube-apiserver would, with positions.

The one home of PyYAML. Bytes become `Document`s: plain values, what is wrong with the text, and the line
and column of everything. Nothing here knows what a document means.
"""

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
