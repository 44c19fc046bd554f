"""All rows of a list of the API, page by page."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient


def every_row(client: TestClient, path: str, **asked: Any) -> list[dict[str, Any]]:
    reply = client.get(path, params=asked)
    assert reply.status_code == 200, reply.text
    found = reply.json()
    rows = found["rows"]
    for page in range(2, found["pages"] + 1):
        rows += client.get(path, params={**asked, "page": page}).json()["rows"]
    assert len(rows) == found["total"]
    return rows
