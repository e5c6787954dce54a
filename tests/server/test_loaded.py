"""What an idle server holds in memory: not what only a bad file, a rotation or a stranger's call needs."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from webhook.certs.development import ensure_development_certificate

ROOT = Path(__file__).resolve().parents[2]
LATER = ("aiohttp", "cryptography", "kubernetes", "pydantic", "pydantic_settings", "rich", "yaml")


def test_a_server_that_answers_has_loaded_nothing_that_it_may_never_need(tmp_path):
    ensure_development_certificate(tmp_path, now=datetime.now(UTC))
    code = (
        "import os, signal, sys, webhook.server.run as run; from webhook.cli import main\n"
        "ready = run.Server.start\n"
        "async def start(self):\n"
        "    await ready(self)\n"
        f"    print(*sorted(set({LATER}) & set(sys.modules)), 'answers', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "run.Server.start = start; sys.exit(main(sys.argv[1:]))"
    )
    none = ("--metrics-bind-address", "0", "--health-probe-bind-address", "127.0.0.1:0")
    bind = ("--bind-address", "127.0.0.1", "--port", "0", "--cert-dir", str(tmp_path))
    command = [sys.executable, "-c", code, "serve", *bind, *none, "--shutdown-delay", "0"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "answers\n"
