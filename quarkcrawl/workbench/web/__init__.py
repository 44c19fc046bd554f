"""The workbench: pages, blocks, marks, templates and campaigns in a browser.

`create_app` makes a Starlette application of a corpus (`index`), a process that reads pages
(`worker`, `pagework`) and, where the caller has them, a way to fetch URLs and a running campaign
(`services`). Views (`views`) are HTML written on the server; what is done by clicking goes through
a JSON API of functions (`operation`), checked by their signatures and described from them
(`openapi`). Pages from the web are hostile: they are parsed in a process of
their own with a time limit, written anew without anything that acts, and shown in frames that may
run and load nothing (`frames`, `security`).
"""

from quarkcrawl.workbench.web.app import create_app
from quarkcrawl.workbench.web.http import ApiError
from quarkcrawl.workbench.web.services import CampaignService, HostFilterOptions, Services

__all__ = ["ApiError", "CampaignService", "HostFilterOptions", "Services", "create_app"]
