"""Rules about the request itself: in which version it was made, and by whose account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, path, words
from webhook.core.field import FieldPath
from webhook.core.view import same
from webhook.lifecycle.path import START
from webhook.lifecycle.rule import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Lookup, Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def version_erases(parameters: Mapping[str, Any]) -> CheckJudge:
    """A write through a version that does not know a field erases it, without a new generation.

    Object and oldObject are both decoded in that version, so neither has the field; only
    ``managedFields`` still claim it (measured on kube-apiserver 1.34.4, PROFILES.md 3.1). The
    claim outlives the field until the next write in the version that knows it.

    Parameters: ``versions``: those without the field; ``field``: its path.
    """
    known(parameters, "versions", "field")
    versions, field = frozenset(words(parameters, "versions")), path(parameters, "field")
    claim = tuple(f"f:{step.name}" for step in field.steps)

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.old is None or run.old is run.new or run.version not in versions:
            return  # the old object on both sides is what stood there, not a write
        entries = run.old.at("metadata", "managedFields")
        for entry in (entries.items or ()) if entries is not None else ():
            if entry.at("fieldsV1", *claim) is not None:
                manager = entry.text("manager") or "somebody"
                wrote = entry.text("apiVersion") or "another version"
                text = (
                    f"this write through version {run.version} erases what {manager} wrote"
                    f" through {wrote}: {run.version} has no such field; write through {wrote}"
                )
                yield Mark(field.field(START), text)
                return

    return judge


def writers(parameters: Mapping[str, Any]) -> CheckJudge:
    """The accounts that an object lists for its own operator change only their part of its spec.

    RBAC cannot tell the fields of a spec apart.

    Parameters: ``accounts``: path of a list of service account names, in the object's namespace;
    ``may``: paths of the spec fields that they write; ``exempt``: user names that are let off.
    """
    known(parameters, "accounts", "may", "exempt")
    accounts = path(parameters, "accounts")
    may, exempt = words(parameters, "may"), frozenset(words(parameters, "exempt", ()))

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.old is None or run.new is None or run.user in exempt or not _listed(run, accounts):
            return
        before, after = run.old.child("spec"), run.new.child("spec")
        for key in sorted({*_keys(before), *_keys(after)}):
            was = None if before is None else before.child(key)
            now = None if after is None else after.child(key)
            if f"spec.{key}" not in may and not same(was, now):
                text = f"{run.user} is the operator's own account, which writes {', '.join(may)}"
                yield Mark(FieldPath().child("spec", key), text)

    return judge


def _keys(view: View | None) -> Mapping[str, object]:
    return {} if view is None else view.members


def _listed(run: Run, accounts: Lookup) -> bool:
    """Whether the old object, which the writer cannot have changed, lists the writer."""
    prefix, _, name = run.user.rpartition(":")
    listed = accounts(run.old, START)
    namespace = run.old.text("metadata", "namespace") if run.old is not None else None
    if listed is None or prefix != f"system:serviceaccount:{namespace}":
        return False
    return any(item.value == name for item in listed.items or ())
