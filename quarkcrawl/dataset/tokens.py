"""Tokens of a text, counted by a tokenizer that the user names."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from quarkcrawl.errors import ConfigError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def token_counter(path: Path | None) -> Callable[[str], int] | None:
    """A function that counts the tokens of a text; None without a tokenizer.

    Args:
        path: a ``tokenizer.json`` of Hugging Face's library ``tokenizers``.

    Raises:
        ConfigError: the library is not installed.
        InputError: the file cannot be read.
    """
    if path is None:
        return None
    try:
        tokenizers = import_module("tokenizers")
    except ImportError as error:
        message = "tokens are counted with: pip install 'quarkcrawl[tokens]'"
        raise ConfigError(message, where="--tokenizer") from error
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more precise
        raise InputError(f"no tokenizer ({error})", where=path) from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
