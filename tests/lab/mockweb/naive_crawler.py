"""A small crawler that shares nothing with quarkcrawl: the judge of server and truth.

Standard library, lxml and Protego. It knows the true charset of each host, which a real crawler
has to find out, and resolves links by rules of its own.
"""

import http.client
import re
import ssl
from collections import Counter
from hashlib import md5
from posixpath import normpath
from urllib.parse import quote, unquote, urljoin, urlsplit

import lxml.html
from protego import Protego

PORTS = {"http": ":80", "https": ":443"}


def canonical(url):
    """Scheme and host in lower case, no default port, no dot segments, no fragment."""
    parts = urlsplit(url.strip())
    host = parts.netloc.lower().removesuffix(PORTS.get(parts.scheme.lower(), "-"))
    path = parts.path or "/"
    if "/." in path:
        slash = "/" if path.endswith(("/", "/.", "/..")) else ""
        path = normpath(path).rstrip("/") + slash or "/"
    path = quote(
        unquote(path, errors="surrogateescape"), safe="/:;=@!$&'()*+,~", errors="surrogateescape"
    )
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme.lower()}://{host.rstrip('.')}{path}{query}"


class NaiveCrawler:
    """Breadth-first within one host, redirects at the level of their source."""

    def __init__(self, info, web, host, levels=3):
        self.info, self.web, self.host, self.levels = info, web, host, levels
        self.plan = web.plan_of(host)
        self.home = web.home(host)
        self.bodies, self.level_of, self.endings, self.redirects = {}, {}, {}, {}
        self.tries = Counter()
        self._connection = None
        status, headers, text = self.fetch(self.home + "robots.txt")
        plain = status == 200 and headers.get("Content-Type", "").startswith("text/plain")
        self.robots = Protego.parse(text.decode() if plain else "")

    def fetch(self, url):
        for _ in range(3):
            self.tries[url] += 1
            try:
                answer = self.ask(url)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                answer = (type(error).__name__, {}, b"")
            if answer[0] not in (500, 503) and isinstance(answer[0], int):
                break
        return answer

    def ask(self, url):
        scheme, _, rest = url.partition("://")
        if self._connection is None:
            port = self.info.port(scheme)
            if scheme == "https":
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                self._connection = http.client.HTTPSConnection(
                    "127.0.0.1", port, timeout=20, context=context
                )
            else:
                self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self._connection.request("GET", "/" + rest.partition("/")[2], headers={"Host": self.host})
        response = self._connection.getresponse()
        return response.status, response.headers, response.read()

    def run(self):
        layer, done = [self.home], set()
        for level in range(1, self.levels + 1):
            following = []
            for url in layer:  # grows by redirects
                if url in done:
                    continue
                done.add(url)
                target, links = self.visit(url, level)
                if target and len(self.redirects) < 60:
                    layer.append(target)
                following += links
            layer = [url for url in following if url not in done]
        self._connection.close()
        return self

    def visit(self, url, level):
        if not self.robots.can_fetch(url, "naive"):
            self.endings[url] = "robots"
            return None, []
        status, headers, body = self.fetch(url)
        if status in (301, 302, 303, 307, 308):
            return self.redirect(url, headers.get("Location")), []
        content_type = headers.get("Content-Type", "").partition(";")[0]
        if status != 200:
            self.endings[url] = status
            return None, []
        if content_type not in ("text/html", "text/plain"):
            self.endings[url] = "mime"
            return None, []
        self.bodies[url], self.level_of[url] = body, level
        return None, self.links(url, body) if content_type == "text/html" else []

    def redirect(self, url, location):
        target = canonical(urljoin(url, location)) if location else None
        self.redirects[url] = target
        return target if target and target.startswith(self.home) else None

    def links(self, url, body):
        charset = self.plan.declaration.charset if self.plan else "gb18030"
        tree = lxml.html.fromstring(body.decode(charset))
        base = tree.xpath("string(//base/@href)")
        base = urljoin(url, base) if base else url
        hrefs = [href.strip() for href in tree.xpath("//a/@href")]
        found = [
            canonical(urljoin(base, href))
            for href in hrefs
            if not re.match(r"(javascript|mailto):", href)
        ]
        return [link for link in found if link.startswith(self.home)]

    def distinct(self):
        """The first URL of each body."""
        first = {}
        for url, body in self.bodies.items():
            first.setdefault(md5(body).digest(), url)
        return list(first.values())
