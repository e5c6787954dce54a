"""Heads of answers."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from webhook.server.sending import page_head


@pytest.mark.parametrize("now", [0, 951782399, 1796006339, 1798761599, 4102444800])
def test_the_date_is_written_as_http_asks_for_it(monkeypatch, now):
    monkeypatch.setattr(time, "time", lambda: now + 0.5)
    head = page_head(200, "text/plain", 0, ending=False)
    assert f"\r\nDate: {formatdate(now, usegmt=True)}\r\n".encode() in head
