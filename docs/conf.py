"""Configuration of the documentation site: ``make docs``. Nothing is fetched while it builds."""

import gettext
import re
import sys
from pathlib import Path
from typing import Any

import sphinx
from docutils import nodes

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import bilingual  # noqa: E402  (beside this file)
import generate  # noqa: E402

from quarkcrawl import __version__  # noqa: E402

project = "quarkcrawl"
author = project_copyright = "quarkcrawl developers"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
exclude_patterns = ["_build"]
suppress_warnings = ["myst.header"]  # generated pages begin at the depth that they are included at

html_theme = "furo"
html_title = f"quarkcrawl {release}"
html_copy_source = False
html_static_path = ["_static"]
html_search_language = bilingual.BilingualSearch.lang
html_css_files = ["site.css"]
html_js_files = ["site.js"]

autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_member_order = "alphabetical"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
default_role = "literal"
smartquotes = False  # it makes one dash of the two before an option
toc_object_entries = False  # or the hundreds of names of the API page stand in every side bar


def list_other_pages(_app: Any, name: str, source: list[str]) -> None:
    """Give each page of this folder that the index does not name a place in it."""
    if name == "index":
        others = [page.stem for page in sorted(HERE.glob("*.md")) if page.stem != "index"]
        missing = [other for other in others if f"\n{other}\n" not in source[0]]
        source[0] = source[0].replace("OTHER-PAGES\n", "".join(f"{one}\n" for one in missing))


def join_chinese_lines(_app: Any, doctree: nodes.document) -> None:
    """Join the lines of a Chinese paragraph: a browser shows a line end as a blank."""
    for text in doctree.findall(nodes.TextElement):
        for place in range(len(text) - 2, 0, -1):
            before, here, after = (node.astext() for node in text.children[place - 1 : place + 2])
            around = before[-1:] + after[:1]
            if here == "\n" and re.match(
                r".?[\u3000-\u303f\uff01-\uff1f]|[\u4e00-\u9fff]{2}",
                around,
            ):
                del text[place]


CHINESE = gettext.translation("sphinx", Path(sphinx.__file__).parent / "locale", ["zh_CN"])
OF_THE_THEME = {
    "On this page": "本页内容",
    "Back to top": "回到顶部",
    "Made with ": "制作工具：",
    "Home": "首页",
    "Next": "下一页",
    "Previous": "上一页",
}
"""Words of the theme that no catalog has."""


def chinese(words: str) -> str:
    """What stands on Chinese pages for words of the theme."""
    return OF_THE_THEME.get(words) or CHINESE.gettext(words)


def offer_languages(
    app: Any, name: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
) -> None:
    """Let a page lead to itself in the other language, and to Chinese ones if it is Chinese."""
    is_chinese = name.startswith("zh/")
    if is_chinese:
        parts = re.split(r'(?=<p class="caption")', context["furo_navigation_tree"])
        parts.sort(key=lambda part: "中文" not in part)
        context |= {"furo_navigation_tree": "".join(parts), "language": "zh-CN"}
        context |= {"_": chinese, "gettext": chinese}
    other = name.removeprefix("zh/") if is_chinese else f"zh/{name}"
    if other in app.env.found_docs:
        language, tag = ("English", "en") if is_chinese else ("中文", "zh-CN")
        address = context["pathto"](other)
        link = f'<p class="other-language"><a href="{address}" lang="{tag}">{language}</a></p>'
        context["body"] = link + context["body"]


def setup(app: Any) -> None:
    """Write the generated pages before the sources are read."""
    app.add_search_language(bilingual.BilingualSearch)
    app.connect("config-inited", lambda _app, _config: generate.write_all(HERE / "reference"))
    app.connect("source-read", list_other_pages)
    app.connect("doctree-read", join_chinese_lines)
    app.connect("html-page-context", offer_languages, priority=900)  # after the theme
