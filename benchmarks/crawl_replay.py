"""The web of the crawl benchmark: a clean mini-web of many hosts, written down as JSON lines."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import urlsplit

from quarkcrawl.lab.mockweb import Ask, MiniWeb, truth


def write_replay(folder: Path, n_hosts: int, n_pages: int) -> tuple[Path, Path, dict]:
    """Write all pages that three levels reach; returns the replay, the HOSTS file and facts."""
    web = MiniWeb(seed=2006, n_hosts=n_hosts, n_pages=n_pages, hostile=False)
    path, hosts = folder / "web.jsonl", folder / "hosts.txt"
    n_bytes = n_written = n_links = 0
    with path.open("w", encoding="utf-8") as lines:
        for host in truth(web).hosts.values():
            for url in host.levels:
                parts = urlsplit(url)
                target = parts.path + (f"?{parts.query}" if parts.query else "")
                reply = web.respond(Ask(parts.scheme, parts.netloc, target))
                row = {
                    "url": url,
                    "status": reply.status,
                    "headers": reply.headers,
                    "body_b64": base64.b64encode(reply.body).decode(),
                }
                lines.write(json.dumps(row) + "\n")
                n_written += 1
                n_bytes += len(reply.body)
                n_links += reply.body.count(b"<a ") + reply.body.count(b"<A ")
    hosts.write_text("".join(f"{h}\n" for h in web.hosts()), encoding="utf-8")
    facts = {
        "hosts": n_hosts,
        "pages": n_written,
        "mean_body_bytes": n_bytes // n_written,
        "mean_links": round(n_links / n_written, 1),
    }
    return path, hosts, facts
