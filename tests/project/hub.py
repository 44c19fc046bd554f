"""A hub for data sets on loopback, for the client of Hugging Face: it takes what is uploaded.

It speaks the four requests of `hf auth login` and `hf upload` for files that are sent within the
commit; what is stored elsewhere (LFS, Xet) it does not ask for.
"""

from __future__ import annotations

import base64
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "hf_of_the_test"


class Hub(ThreadingHTTPServer):
    """Data sets by name, and the files of each by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.datasets: dict[str, dict[str, bytes]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def create(self, order: dict[str, str]) -> dict[str, str]:
        name = f"{order['organization']}/{order['name']}"
        assert order["type"] == "dataset"
        self.datasets.setdefault(name, {})
        return {"url": f"{self.url}/datasets/{name}", "name": name, "id": name}

    def commit(self, name: str, lines: bytes) -> dict[str, str]:
        for line in map(json.loads, lines.splitlines()):
            if line["key"] == "file":
                content = base64.b64decode(line["value"]["content"])
                self.datasets[name][line["value"]["path"]] = content
        return {
            "commitUrl": f"{self.url}/datasets/{name}/commit/{1:040x}",
            "commitOid": f"{1:040x}",
        }


class _Requests(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        if self.path == "/api/whoami-v2" and self._is_known():
            token = {"type": "access_token", "accessToken": {"displayName": "x", "role": "write"}}
            self._answer({"type": "user", "name": "YOUR-NAME", "orgs": [], "auth": token})
        else:
            self._refuse()

    def do_POST(self) -> None:
        body = self._body()
        match self.path.split("?")[0].strip("/").split("/"):
            case ["api", "repos", "create"] if self._is_known():
                self._answer(self.server.create(json.loads(body)))
            case ["api", "validate-yaml"]:
                self._answer({"errors": [], "warnings": []})
            case ["api", "datasets", _, _, "preupload", "main"] if self._is_known():
                files = [
                    {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                    for file in json.loads(body)["files"]
                ]
                self._answer({"files": files})
            case ["api", "datasets", owner, name, "commit", "main"] if self._is_known():
                self._answer(self.server.commit(f"{owner}/{name}", body))
            case _:
                self._refuse()

    def _is_known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {TOKEN}"

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(self, value: object, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self) -> None:
        self._answer({"error": "no such thing"}, 404)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""
