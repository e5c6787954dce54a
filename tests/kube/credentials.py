"""How an actor proves who it is: an own token, or impersonation by the cluster's administrator."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

from tests.kube.actors import ACTORS, Actor

if TYPE_CHECKING:
    from pathlib import Path

ADMIN = "kubernetes-admin"
_BY_USER = {actor.user: actor for actor in ACTORS.values()}


class Credentials:
    """Random tokens of one control plane. Names are the keys of `ACTORS` or full user names."""

    def __init__(self) -> None:
        self._tokens = {actor.user: secrets.token_urlsafe(24) for actor in ACTORS.values()}

    def write_token_file(self, path: Path) -> None:
        """The CSV of `--token-auth-file`: token, user, uid, groups."""
        path.touch(mode=0o600)
        path.write_text(
            "".join(
                f'{self._tokens[actor.user]},{actor.user},uid-{number},"{",".join(actor.groups)}"\n'
                for number, actor in enumerate(ACTORS.values())
            )
        )

    def headers(self, name: str) -> list[tuple[str, str]]:
        """HTTP headers under which the API server takes the caller for this actor."""
        actor, token = self._find(name)
        own = [("Authorization", f"Bearer {token or self._tokens[ADMIN]}")]
        if token is None:
            own.append(("Impersonate-User", actor.user))
            own.extend(("Impersonate-Group", group) for group in actor.groups)
        return own

    def write_kubeconfig(self, name: str, path: Path, server: str, ca_file: Path) -> None:
        actor, token = self._find(name)
        user: dict[str, Any] = {"token": token or self._tokens[ADMIN]}
        if token is None:
            user |= {"as": actor.user, "as-groups": list(actor.groups)}
        cluster = {"server": server, "certificate-authority": str(ca_file)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "tests", "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": name}}],
            "current-context": "tests",
        }
        path.touch(mode=0o600)
        path.write_text(json.dumps(config))

    def _find(self, name: str) -> tuple[Actor, str | None]:
        """The actor, and its token if it has one."""
        actor = ACTORS.get(name) or _BY_USER.get(name) or Actor.of_user(name)
        return actor, self._tokens.get(actor.user)
