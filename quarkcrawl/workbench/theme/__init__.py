"""What all pages for people share: templates, style sheet, words in Chinese and English.

`render` fills a template of the folder ``pages``. The views of the workbench extend ``base.html``;
reports extend ``report/base.html``, which holds the style sheet and needs no server.
"""

from quarkcrawl.workbench.theme.rendering import policy, render
from quarkcrawl.workbench.theme.words import LANGUAGES, Words, words

__all__ = ["LANGUAGES", "Words", "policy", "render", "words"]
