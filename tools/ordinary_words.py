"""Write src/firsthand/rules/ordinary.txt: words that the standard library's own prose writes in lower case.

They complete the hand-made list of the lexicon with the vocabulary of technical prose, so that `Rewrote` or
`Alternatively` at the start of a sentence is not taken for a name.
"""

import ast
import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from firsthand.rules.lexicon import NEVER

TARGET = Path(__file__).parents[1] / "src/firsthand/rules/ordinary.txt"
LEAST, FALLS = 4, 0.15  # seen at least so often, and capitalised inside sentences at most that often
NAMES = frozenset(["max", "mark", "rob", "scott", "robin", "miles", "nick", "ray", "jean", "gene", "frank", "victor"])
WORD = re.compile(r"(?<![\w.`'\"_/<(\[-])[A-Za-z][a-z]{2,17}(?![\w`'\"_(\])>=/-])")


def prose() -> Iterator[str]:
    """Yield the docstrings and comments of the standard library."""
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if {"site-packages", "test", "tests", "idle_test"} & set(path.parts):
            continue
        source = path.read_text("utf-8", errors="replace")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield ast.get_docstring(node) or ""
        yield " ".join(re.findall(r"^\s*#+ (.*)", source, re.MULTILINE))


def ordinary() -> list[str]:
    """Return the words, sorted."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for text in prose():
        for match in WORD.finditer(text):
            word = match.group()
            if word[0].islower():
                small[word] += 1
            elif text[: match.start()].rstrip(" ")[-1:].isalnum():
                capital[word.lower()] += 1
    return sorted(w for w, n in small.items() if n >= LEAST and capital[w] <= FALLS * n and w not in NEVER | NAMES)


if __name__ == "__main__":
    TARGET.write_text("\n".join(ordinary()) + "\n", "utf-8")
