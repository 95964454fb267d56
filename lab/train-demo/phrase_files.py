"""Reads the phrase files of phrases/: sections of one phrase a line, comments after ##."""

import functools
from pathlib import Path

FOLDER = Path(__file__).parent / "phrases"


def lines(name: str) -> list[str]:
    """The lines of a file, without comments and blank lines."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("##")]


@functools.cache
def sections(name: str) -> dict[str, list[str]]:
    """The lines of each [section]."""
    found, current = {}, None
    for line in lines(name):
        if line[0] == "[" and line[-1] == "]":
            current = found[line[1:-1]] = []
        else:
            current.append(line)
    return found
