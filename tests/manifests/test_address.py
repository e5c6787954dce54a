"""`manifests --url`: the same webhooks, reached by an address."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
import yaml

from tests.cli.conftest import cli, write
from webhook.catalog import Catalog
from webhook.manifests.address import reached_at
from webhook.manifests.options import Options
from webhook.manifests.webhooks import ManifestError, configurations

__all__ = ["cli", "write"]  # fixtures

CA = b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
URL = "https://127.0.0.1:9443"


def both() -> list[dict[str, Any]]:
    return configurations(Catalog.default(), Options(version="1"))


def test_only_the_way_to_us_differs_from_what_is_installed() -> None:
    installed, beside = both(), reached_at(both(), URL, CA)
    assert len(beside) == len(installed) == 2
    for one, other in zip(installed, beside, strict=True):
        for webhook, reached in zip(one["webhooks"], other["webhooks"], strict=True):
            service = webhook.pop("clientConfig")["service"]
            config = reached.pop("clientConfig")
            assert config["url"] == URL + service["path"]
            assert b64decode(config["caBundle"]) == CA
        assert one == other


def test_what_is_given_is_left_as_it_is() -> None:
    given = both()
    reached_at(given, URL + "/", CA)
    assert given == both()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9443", "127.0.0.1", "https://x/?a=b", "https://x/#y"]
)
def test_an_address_that_no_api_server_calls_is_refused(url: str) -> None:
    with pytest.raises(ManifestError, match="https://HOST:PORT only"):
        reached_at(both(), url, CA)


def test_what_is_no_certificate_is_refused() -> None:
    with pytest.raises(ManifestError, match="no certificate in PEM form"):
        reached_at(both(), URL, b"-----BEGIN PRIVATE KEY-----\n")


def test_the_verb_prints_both(cli, write) -> None:
    name = write("ca.crt", CA)
    done = cli("manifests", "--url", URL, "--ca-file", name)
    assert (done.code, done.err) == (0, "")
    kinds = [one["kind"] for one in yaml.safe_load_all(done.out)]
    assert kinds == ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--url", URL), "--url and --ca-file go together"),
        (("--ca-file", "ca.crt"), "--url and --ca-file go together"),
        (("--url", URL, "--ca-file", "missing.crt"), "missing.crt: No such file"),
        (("--url", "http://x", "--ca-file", "ca.crt"), "https://HOST:PORT only"),
    ],
)
def test_what_the_verb_cannot_print_is_the_callers_error(cli, write, args, words) -> None:
    write("ca.crt", CA)
    done = cli("manifests", *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
