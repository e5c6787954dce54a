"""A living etcd and kube-apiserver, and every actor's way in."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.kube import rbac
from tests.kube.apiserver import PLAIN, Options, apiserver_command, etcd_command
from tests.kube.client import JSON, Body, Client, Response
from tests.kube.credentials import ADMIN, Credentials
from tests.kube.pki import write_pki
from tests.kube.process import ProcessFailedError, ServerProcess, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.controlplane.build import Binaries

AUDITED_WITHIN = 5.0  # seconds
START_TRIES = 3  # a port that was free may be taken a moment later


class ControlPlane:
    """`start()` it, `stop()` it; every file of it is under `folder`.

    An actor is a key of `tests.kube.actors.ACTORS` or any user name; a name without a token of its own
    is impersonated with the groups that its form implies.
    """

    def __init__(self, binaries: Binaries, folder: Path, options: Options = PLAIN) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.binaries = binaries
        self.folder = folder
        self.options = options
        self.ca_file = folder / "ca.crt"
        self.audit_log = folder / "audit.jsonl"
        self._port = free_port()
        self.url = f"https://127.0.0.1:{self._port}"
        self._etcd_url = f"http://127.0.0.1:{free_port()}"
        self._credentials = Credentials()
        self._credentials.write_token_file(folder / "tokens.csv")
        write_pki(folder)
        self._client = Client(self.url, ssl.create_default_context(cafile=str(self.ca_file)))
        self._processes: dict[str, ServerProcess] = {}
        self._kubeconfig_lock = threading.Lock()

    def start(self) -> None:
        """Raises ProcessFailedError, with the end of the log, when a server does not come up."""
        peer_url = f"http://127.0.0.1:{free_port()}"
        self._run("etcd", etcd_command(self.binaries, self.folder, self._etcd_url, peer_url))
        self._processes["etcd"].wait_ready(self._etcd_is_ready)
        self._run_apiserver()
        for item in rbac.objects():
            path = f"/apis/{rbac.RBAC}/v1/{item['kind'].lower()}s"
            status, answer = self.request(ADMIN, "POST", path, item)
            if status != 201:
                raise ProcessFailedError(f"POST {path}: {status} {answer}")

    def stop(self) -> None:
        """Ends both processes; the files stay."""
        self._client.close()
        for process in reversed(self._processes.values()):
            process.stop()

    def restart_apiserver(self, options: Options | None = None) -> None:
        """The same port, data and identities, with other options if given. Returns when it is ready."""
        self._client.close()
        self._processes["kube-apiserver"].stop()
        self.options = options or self.options
        self._run_apiserver()

    def pids(self) -> dict[str, int]:
        """The process ids of etcd and kube-apiserver, by these names."""
        return {name: process.pid for name, process in self._processes.items()}

    def audit_entries(self, at_least: int = 0) -> list[dict[str, Any]]:
        """What `Options(audit=True)` has logged, in order.

        An entry is written just after its client had the answer, so `at_least` so many are waited for.
        """
        deadline = time.monotonic() + AUDITED_WITHIN
        while True:
            text = self.audit_log.read_text() if self.audit_log.exists() else ""
            whole = text[: text.rfind("\n") + 1].splitlines()
            if len(whole) >= at_least or time.monotonic() > deadline:
                return [json.loads(line) for line in whole]
            time.sleep(0.02)

    def request(
        self, actor: str, method: str, path: str, body: Body = None, content_type: str = JSON
    ) -> tuple[int, dict[str, Any]]:
        """Status code and decoded body of one API request; no status raises."""
        answer = self.call(actor, method, path, body, content_type)
        return answer.status, answer.body

    def call(
        self, actor: str, method: str, path: str, body: Body = None, content_type: str = JSON
    ) -> Response:
        """As `request`, with the warnings that the API server sent along."""
        headers = [("Accept", JSON), ("Content-Type", content_type)]
        headers += self._credentials.headers(actor)
        return self._client.call(actor, headers, method, path, body)

    def watch(self, actor: str, path: str) -> Iterator[dict[str, Any]]:
        """Watch events of a path such as `/api/v1/nodes?watch=1&timeoutSeconds=5`."""
        return self._client.watch(self._credentials.headers(actor), path)

    def kubectl(
        self,
        actor: str,
        *args: str,
        input: str | None = None,  # noqa: A002 - subprocess.run's word
        check: bool = True,
        timeout: float = 60.0,
    ) -> subprocess.CompletedProcess[str]:
        """kubectl as the actor; with `check` an exit code other than 0 raises AssertionError with its words."""
        done = subprocess.run(
            [str(self.binaries.kubectl), *args],
            env=self.client_env(actor),
            input=input,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"kubectl {' '.join(args)} as {actor}: {done.stdout}{done.stderr}")
        return done

    def client_env(self, actor: str) -> dict[str, str]:
        """The environment in which any client is this actor; its caches stay in our folder."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "KUBECONFIG": str(self.kubeconfig(actor)),
        }

    def kubeconfig(self, actor: str) -> Path:
        """The actor's kubeconfig file, written when first asked for."""
        path = self.folder / f"{actor.replace(':', '_').replace('/', '_')}.kubeconfig"
        with self._kubeconfig_lock:
            if not path.exists():
                self._credentials.write_kubeconfig(actor, path, self.url, self.ca_file)
        return path

    def _run_apiserver(self) -> None:
        command = apiserver_command(
            self.binaries, self.folder, self._etcd_url, self._port, self.options
        )
        self._run("kube-apiserver", command)
        self._processes["kube-apiserver"].wait_ready(self._apiserver_is_ready)

    def _run(self, name: str, command: list[str]) -> None:
        self._processes[name] = ServerProcess(name, command, self.folder / f"{name}.log")

    def _apiserver_is_ready(self) -> bool:
        try:
            return self.call(ADMIN, "GET", "/readyz").status == 200
        except OSError:
            return False

    def _etcd_is_ready(self) -> bool:
        connection = http.client.HTTPConnection(urlsplit(self._etcd_url).netloc, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


def start_control_plane(binaries: Binaries, folder: Path, options: Options = PLAIN) -> ControlPlane:
    """A started control plane under the folder; other ports are tried when one was just taken."""
    for attempt in range(1, START_TRIES + 1):
        control_plane = ControlPlane(binaries, folder / f"try-{attempt}", options)
        try:
            control_plane.start()
        except ProcessFailedError as error:
            control_plane.stop()
            if attempt == START_TRIES or "address already in use" not in str(error):
                raise
        except BaseException:
            control_plane.stop()
            raise
        else:
            return control_plane
    raise AssertionError
