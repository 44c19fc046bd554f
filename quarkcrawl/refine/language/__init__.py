"""The language of a text, the script of a Chinese one, and whether it is Cantonese.

Languages are told by py3langid, whose model comes with it; Chinese, Japanese and Korean by their
characters (``text``). Script and Cantonese are told by rules of our own (``hanscript``,
``cantonese``) over the kinds of characters (``characters``).
"""

from quarkcrawl.refine.language.cantonese import is_cantonese
from quarkcrawl.refine.language.characters import CharacterShares, character_shares
from quarkcrawl.refine.language.hanscript import han_script
from quarkcrawl.refine.language.text import TextLanguage, language_of

__all__ = [
    "CharacterShares",
    "TextLanguage",
    "character_shares",
    "han_script",
    "is_cantonese",
    "language_of",
]
