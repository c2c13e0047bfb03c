"""Write src/firsthand/rules/lookalikes.py from the confusables table of the Unicode Consortium.

Run by hand when confusable-homoglyphs follows a new Unicode version; loading its table at run time would cost more
than the whole import of the package may.
"""

import json
import unicodedata
from collections import defaultdict
from pathlib import Path

import confusable_homoglyphs

TARGET = Path(__file__).parents[1] / "src/firsthand/rules/lookalikes.py"
HEADER = '''"""Which other characters look like an ASCII one; written by tools/lookalikes.py, not by hand."""

'''


def own_look(char: str, neighbours: list[str]) -> str | None:
    """Return what ASCII text a character outside ASCII is drawn like, or None if it is left as it is."""
    category = unicodedata.category(char)
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if unicodedata.bidirectional(char) in {"R", "AL", "AN"}:
        return None  # such a letter reorders the line, so it stands in for nothing; vav and final nun must stay two
    if category == "Lo" and not unicodedata.name(char).startswith("LISU"):
        return None  # scripts without case are not mixed with Latin; merging their letters would merge their words
    looks = sorted(text for text in neighbours if text.isascii())
    if not looks or category[0] in "MZ":
        return None
    look = {"rn": "m", "''": '"', "``": '"'}.get(looks[0], looks[0])
    if len(look) > 1 and look.lower() not in {"ae", "oe"}:
        return None  # Cyrillic yery is drawn like bl, but no one writes it for bl
    if category.startswith("P") and look.isalnum():
        return None  # the inverted exclamation mark is no letter i
    return "I" if look == "l" and category == "Lu" else look


def punctuation() -> dict[str, str]:
    """Return the dashes and quotation marks that mean the ASCII one although they are not drawn like it."""
    dashes = [chr(c) for c in range(0x80, 0x11000) if unicodedata.category(chr(c)) == "Pd"]
    table = dict.fromkeys([*dashes, "\u2212"], "-")
    table |= dict.fromkeys("«»“”„‟〝〞〟″❝❞", '"') | dict.fromkeys("‘’‚‛‹›′`´ʼ❛❜", "'")
    return {char: look for char, look in table.items() if not char.isascii()}


def tables() -> tuple[dict[str, str], dict[str, str]]:
    """Return the looks of case-folded characters, and those capitals whose own look is another than their fold's."""
    source = Path(confusable_homoglyphs.__file__).parent / "confusables.json"
    entries: dict[str, list[dict[str, str]]] = json.loads(source.read_text("utf-8"))
    single = {c: [e["c"] for e in near] for c, near in entries.items() if len(c) == 1 and not c.isascii()}
    for code in range(0x80, 0x20000):
        if unicodedata.decimal(chr(code), None) is not None:
            single.setdefault(chr(code), [])
    looks = {c: look for c, near in single.items() if (look := own_look(c, near))} | punctuation()
    folded = {c: look.lower() for c, look in looks.items() if stable(c)}
    for char, look in looks.items():
        if char == "\u039c":
            continue  # only capital Mu is an M: five microseconds are not five milliseconds
        fold = char.casefold()
        if fold != char and len(fold) == 1 and not fold.isascii() and stable(fold):
            folded.setdefault(fold, look.lower())
    capitals = {
        c: look.lower()
        for c, look in looks.items()
        if unicodedata.normalize("NFKD", c) == c and not stable(c) and folded.get(c.casefold()) != look.lower()
    }
    return folded, capitals


def stable(char: str) -> bool:
    """Say whether a character survives compatibility decomposition and case folding."""
    return unicodedata.normalize("NFKD", char).casefold() == char


def grouped(name: str, table: dict[str, str]) -> str:
    """Render a table as one line for each ASCII text."""
    groups: dict[str, list[str]] = defaultdict(list)
    for char, look in table.items():
        groups[look].append(char)
    lines = [f'    {json.dumps(look)}: "{"".join(sorted(groups[look]))}",' for look in sorted(groups)]
    return "\n".join([f"{name}: dict[str, str] = {{", *lines, "}"])


if __name__ == "__main__":
    folded, capitals = tables()
    body = grouped("LOOKALIKES", folded) + "\n\n" + grouped("CAPITALS", capitals) + "\n"
    TARGET.write_text(HEADER + body, "utf-8")
