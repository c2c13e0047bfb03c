"""The documents as data: their code blocks, links and headings, and how their examples run.

The subset of Markdown that is read, and nothing else:

* a ```` ```python ```` block runs in its document's one namespace; every line `# → text` after a statement is a line
  that the block prints, and a block without such lines prints nothing, unless a ```` ```text ```` block stands
  directly below it, which is then all that it prints;
* a ```` ```console ```` block holds commands, one to a line after `$ `, and below each what it prints; a command with
  nothing below it only has to succeed;
* in what is printed, `…` stands for anything, a line of its own for any number of lines;
* every other block (`sh`, `text`, `json`, `mermaid`) is only shown.

The blocks of one document run from first to last in one empty folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import firsthand

ROOT = Path(__file__).parents[2]
DOCUMENTS = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]))
COMMAND_SECONDS = 60
ELLIPSIS = "…"
_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_SHIM = """#!/bin/sh
exec "{python}" -c 'from firsthand.surfaces.entry import main; main()' "$@"
"""


class Block(NamedTuple):
    """One fenced block: its language, what else its fence says, its text, its line, and the block directly below."""

    language: str
    label: str
    text: str
    line: int
    below: str | None


class Command(NamedTuple):
    """A shell command and the output shown for it; unset where none is."""

    words: str
    shown: str | None


def blocks(document: Path) -> list[Block]:
    """Every fenced block of a document, in order."""
    text = document.read_text(encoding="utf-8")
    found = list(_FENCE.finditer(text))
    made: list[Block] = []
    for at, fence in enumerate(found):
        language, _, label = fence["info"].strip().partition(" ")
        after = found[at + 1] if at + 1 < len(found) else None
        joined = after is not None and not text[fence.end() : after.start()].strip()
        below = after["body"] if joined and after and after["info"].strip() == "text" else None
        made.append(Block(language, label, fence["body"], text.count("\n", 0, fence.start()) + 1, below))
    return made


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        words, _, shown = part.partition("\n")
        while words.endswith("\\"):
            more, _, shown = shown.partition("\n")
            words = words[:-1] + more.strip()
        yield Command(words, shown.strip("\n") or None)


def agrees(shown: str, printed: str) -> bool:
    """Whether what was printed is what a document shows, blanks at the ends of lines aside."""
    shown, printed = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip("\n") for text in (shown, printed))
    lines = [r"(?:.*\n)*?" if line == ELLIPSIS else _pattern(line) + r"\n" for line in shown.split("\n")]
    return re.fullmatch("".join(lines), printed + "\n") is not None


def _pattern(line: str) -> str:
    return ".*?".join(re.escape(part) for part in line.split(ELLIPSIS))


class Desk:
    """Runs the examples of one document in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "example"}
        bin_folder = folder / ".bin"
        bin_folder.mkdir()
        shim = bin_folder / "firsthand"
        shim.write_text(_SHIM.format(python=sys.executable))
        shim.chmod(0o755)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("FIRSTHAND_", "XDG_"))}
        self.environ = clean | {
            "HOME": str(folder),
            "USER": "ana",
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
            "PYTHONPATH": str(Path(firsthand.__file__).parents[1]),
        }

    def python(self, block: Block, name: str) -> tuple[str, str]:
        """Run a block; what it shows and what it printed."""
        told = re.findall(r"^\s*# → ?(.*)$", block.text, flags=re.MULTILINE)
        shown = block.below if block.below is not None and not told else "\n".join(told)
        # Blank lines before, so that a traceback names the document's own line.
        source = "\n" * block.line + block.text
        printed = io.StringIO()
        with contextlib.chdir(self._folder), contextlib.redirect_stdout(printed):
            exec(compile(source, name, "exec"), self._names)
        return shown, printed.getvalue()

    def console(self, command: Command) -> str:
        """Run a command; what it printed. It has to succeed."""
        done = subprocess.run(
            ("sh", "-c", command.words),
            cwd=self._folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"$ {command.words}\n{done.stdout}{done.stderr}"
        return done.stdout


def check_examples(document: Path, folder: Path) -> int:
    """Run every example of a document; how many there were."""
    desk, ran = Desk(folder), 0
    for block in blocks(document):
        if block.language == "python":
            shown, printed = desk.python(block, document.name)
            assert agrees(shown, printed), f"{document.name}:{block.line} prints\n{printed}\nand shows\n{shown}"
            ran += 1
        elif block.language == "console":
            for command in commands(block):
                printed = desk.console(command)
                said = f"{document.name}:{block.line} $ {command.words}\nprints\n{printed}\nand shows\n{command.shown}"
                assert command.shown is None or agrees(command.shown, printed), said
                ran += 1
    return ran


def headings(document: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    found = re.findall(r"^#{1,6} (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in found}


def links(document: Path) -> list[str]:
    """The targets of a document's links, those in code left out."""
    text = re.sub(r"`[^`\n]*`", "", _FENCE.sub("", document.read_text(encoding="utf-8")))
    return re.findall(r"\]\(([^)\s]+)\)", text)
