"""Who may ask, who may write, and what a document may do.

The server listens on loopback only. Three doors are closed besides: names that lead to loopback
(DNS rebinding) by looking at ``Host``; writing by others on the machine by a token that is printed
at the start and kept in a cookie; writing by other sites in the same browser by a second token
that only our own pages can read and that travels in a header.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


FORM_HEADER: Final = "x-quarkcrawl-token"
"""Header in which our pages send the second token."""

HOSTS: Final = frozenset(("127.0.0.1", "localhost", "[::1]"))
"""Names under which the server may be asked."""

_SAME: Final = frozenset(("same-origin", "none"))
_NOTHING: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
_SEALED: Final = "; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"


def app_policy() -> str:
    """Content Security Policy of our own pages: our files, no inline scripts or styles."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    )


def frame_policy(nonce: str = "") -> str:
    """Content Security Policy of a stored page: an origin of its own, nothing loads.

    Args:
        nonce: lets our only script run, which tells the view what block is under the mouse; "":
            nothing runs at all.
    """
    if not nonce:
        return f"sandbox; {_NOTHING}{_SEALED}"
    return f"sandbox allow-scripts; {_NOTHING}; script-src 'nonce-{nonce}'{_SEALED}"


@dataclass(frozen=True, slots=True)
class Access:
    """The tokens of one run of the server.

    Args:
        token: whoever has it may write.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def form_token(self) -> str:
        """What our pages send along; made from the token, which they never see."""
        return hmac.new(self.token.encode(), b"form", hashlib.sha256).hexdigest()

    def cookie(self, request: Request) -> str:
        """Name of the cookie; cookies do not know ports, so it has the port in its name."""
        return f"quarkcrawl_{request.url.port or 80}"

    def is_known(self, request: Request) -> bool:
        """Whether the browser has the cookie."""
        return self.is_token(request.cookies.get(self.cookie(request), ""))

    def is_token(self, text: str) -> bool:
        """Whether a text is the token."""
        return hmac.compare_digest(text.encode(), self.token.encode())

    def is_signed_in(self, request: Request) -> bool:
        """Whether a request comes from somebody with the token, and is not made by another site.

        A link of another site sends no cookie (``SameSite``), unless that site has our host name
        and another port; ``Sec-Fetch-Site`` tells that.
        """
        bearer = request.headers.get("authorization", "")
        if bearer.startswith("Bearer "):
            return self.is_token(bearer.removeprefix("Bearer "))
        return self.is_known(request) and request.headers.get("sec-fetch-site", "none") in _SAME

    def may_write(self, request: Request) -> bool:
        """Whether a request may change anything."""
        bearer = request.headers.get("authorization", "")
        if bearer.startswith("Bearer "):
            return self.is_token(bearer.removeprefix("Bearer "))
        sent = request.headers.get(FORM_HEADER, "")
        is_ours = hmac.compare_digest(sent.encode(), self.form_token.encode())
        return is_ours and self.is_known(request)


class GuardMiddleware:
    """Refuses strangers, and puts the headers that every reply has.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _harden(MutableHeaders(scope=message))
            await send(message)

        refusal = _refusal(scope["method"], Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, sending)
        else:
            problem = {"status": 403, "title": "Forbidden", "detail": refusal}
            reply = JSONResponse(problem, 403, media_type="application/problem+json")
            await reply(scope, receive, sending)


def _refusal(method: str, headers: Headers) -> str | None:
    host = headers.get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name.lower() not in HOSTS:
        return "this server answers for 127.0.0.1 and localhost only"
    if method in {"GET", "HEAD"}:
        return None
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2] != host:
        return "asked by another site"
    if headers.get("sec-fetch-site", "none") not in _SAME:
        return "asked by another site"
    return None


def _harden(headers: MutableHeaders) -> None:
    headers.setdefault("content-security-policy", app_policy())
    headers.setdefault("cache-control", "no-store")
    headers["x-content-type-options"] = "nosniff"
    headers["referrer-policy"] = "no-referrer"
    headers["cross-origin-opener-policy"] = "same-origin"
    headers["cross-origin-resource-policy"] = "same-origin"
    headers["permissions-policy"] = "camera=(), microphone=(), geolocation=()"
    headers["x-dns-prefetch-control"] = "off"
