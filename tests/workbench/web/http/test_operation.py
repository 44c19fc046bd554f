"""An operation checks what comes in against the signature of its function, and is described by it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from quarkcrawl.workbench.web.http import Operations, answer, describe, integer, string

FOUND = Operations()


class Asked(msgspec.Struct):
    name: Annotated[str, string(3, "whose", "^[a-z]+$")]
    sort: Literal["up", "down"] = "up"


class Given(msgspec.Struct, forbid_unknown_fields=True):
    a: Annotated[int, integer(1, 3)]
    b: Literal["x"] = "x"
    c: Annotated[list[bool], msgspec.Meta(max_length=1)] = []


@FOUND.add("GET /of/{name}", "A number of somebody")
def number(bench: Any, asked: Asked, n: Annotated[int, integer(0, 9, "which")] = 4) -> Any:
    return {"name": asked.name, "sort": asked.sort, "n": n}


@FOUND.add("PUT /kept", "Keep something", max_body_bytes=100, reply=Given, errors=(409,))
def keep(bench: Any, body: Given) -> Any:
    return msgspec.structs.asdict(body)


@pytest.fixture(scope="module")
def client():
    bench = SimpleNamespace(access=SimpleNamespace(may_write=lambda request: True))

    def route(operation):
        async def handle(request):
            return await answer(operation, bench, request)

        return Route(operation.path, handle, methods=[operation.method])

    return TestClient(Starlette(routes=[*map(route, FOUND)]))


def test_what_fits_reaches_the_function_with_its_defaults(client):
    assert client.get("/of/ab").json() == {"name": "ab", "sort": "up", "n": 4}
    assert client.get("/of/ab?n=9&sort=down").json() == {"name": "ab", "sort": "down", "n": 9}
    assert client.put("/kept", json={"a": 3.0}).json() == {"a": 3, "b": "x", "c": []}
    assert client.put("/kept", json={"a": 1, "b": "x", "c": [True]}).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [("/of/ab?n=10", 400, "n must be a whole number between 0 and 9"),
     ("/of/ab?n=x", 400, "n must be a whole number between 0 and 9"),
     ("/of/ab?n=true", 400, "n must be a whole number between 0 and 9"),
     ("/of/ab?sort=left", 400, "sort must be one of down, up"),
     ("/of/ab?n=1&n=2", 400, "n is given more than once"),
     ("/of/ab?m=1", 400, "no parameter 'm'"),
     ("/of/AB", 404, "name must be at most 3 characters of the form ^[a-z]+$"),
     ("/of/abcd", 404, "name must be at most 3 characters of the form ^[a-z]+$")],
)  # fmt: skip
def test_what_does_not_fit_is_told_in_one_line(client, path, status, detail):
    reply = client.get(path)
    assert (reply.status_code, reply.json()["detail"]) == (status, detail)


@pytest.mark.parametrize(
    "wrong",
    [{}, {"a": 4}, {"a": True}, {"a": "1"}, {"a": 1.5}, {"a": 1, "b": "y"}, {"a": 1, "c": [1]},
     {"a": 1, "c": [True, True]}, {"a": 1, "d": 1}, [], None, 1.5],
)  # fmt: skip
def test_bodies_are_checked_as_strictly(client, wrong):
    sent = {"content-type": "application/json"}
    reply = client.put("/kept", content=json.dumps(wrong), headers=sent)
    assert reply.status_code == 400
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["detail"].startswith("the body does not fit: ")


def test_bodies_of_other_types_and_sizes_are_refused(client):
    assert client.put("/kept", content=b"{}").status_code == 415
    sent = {"content-type": "application/json"}
    assert client.put("/kept", content=b"{", headers=sent).status_code == 400
    assert client.put("/kept", content=b" " * 101, headers=sent).status_code == 413


def test_the_description_says_the_same():
    paths = describe(FOUND)["paths"]
    name, sort, n = paths["/of/{name}"]["get"]["parameters"]
    assert name == {
        "name": "name", "in": "path", "required": True, "description": "whose",
        "schema": {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"},
    }  # fmt: skip
    assert (sort["required"], sort["schema"]) == (False, {"enum": ["down", "up"], "default": "up"})
    assert (n["in"], n["schema"]["default"]) == ("query", 4)
    kept = paths["/kept"]["put"]
    assert kept["security"] == [{"token": []}]
    assert {*kept["responses"]} == {"200", "400", "403", "404", "405", "409", "413", "415", "503"}
    given = describe(FOUND)["components"]["schemas"]["Given"]
    assert given["required"] == ["a"]
    assert given["additionalProperties"] is False
