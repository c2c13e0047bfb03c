"""The command `firsthand`: global options, the table of commands, and what becomes of an error.

Commands load when they are called, so `firsthand recall` does not pay for the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from firsthand.surfaces import catalogue
from firsthand.surfaces.desk import Desk
from firsthand.surfaces.entry import open_closed_streams
from firsthand.surfaces.sentences import error_sentence, installed_version, person_hint
from firsthand.vocabulary.errors import BrokenError, FirsthandError, InvalidError

PROGRAM: Final = "firsthand"
COMPLETE_VARIABLE: Final = "_FIRSTHAND_COMPLETE"
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
DEBUG_VARIABLE: Final = "FIRSTHAND_DEBUG"

COMMANDS: Final = (
    "init", "remember", "recall", "capture", "read", "list", "history", "timeline", "explain", "correct", "change",
    "retract", "contest", "settle", "fork", "merge", "withdraw", "restore", "reject", "lift", "share", "forget",
    "undo", "impact", "review", "support", "relate", "classify", "feedback", "erase", "certificate", "clean", "sweep",
    "hold", "release", "retention", "refusals", "scopes", "predicates", "stats", "import", "export", "pack", "peers",
    "join", "backup", "restore-backup", "seal", "jobs", "verify", "rebuild", "embed", "reindex", "mcp", "hook",
    "doctor", "bench", "selftest", "demo",
)  # fmt: skip
"""In the order of the help: what one does first comes first."""
OWN: Final = {
    "init": ("cli_admin", "Make the memory, and a firsthand.toml that points to it."),
    "recall": ("cli_read", "Ask what is known, with its sources."),
    "timeline": ("cli_read", "Show or draw what was believed of a record, and when."),
    "erase": ("cli_erase", "Destroy words to the byte, once the plan was seen."),
    "import claude-code": ("cli_import", ""),
    "import codex": ("cli_import", ""),
    "import chatgpt": ("cli_import", ""),
    "import claude": ("cli_import", ""),
    "import mcp-memory": ("cli_import", ""),
    "import markdown": ("cli_import", ""),
    "import chat": ("cli_import", ""),
    "import locomo": ("cli_import", ""),
    "join": ("cli_move", "Make the memory a store of a space that exists elsewhere."),
    "mcp": ("cli_mcp", "Serve the memory to an agent over MCP, on standard input and output."),
    "peers key": ("cli_move", ""),
    "restore-backup": ("cli_move", "Bring a backup back."),
    "hook claude-code": ("cli_hook", ""),
    "hook codex": ("cli_hook", ""),
    "hook install": ("cli_hook", ""),
    "hook uninstall": ("cli_hook", ""),
    "hook drain": ("cli_hook", ""),
    "doctor": ("cli_admin", "Say where the memory is and whether it is well."),
    "bench": ("cli_bench", "Measure how long this memory takes, on a copy of it, beside bare SQLite."),
    "selftest": ("cli_selftest", "Run the acceptance tests, on stores of their own."),
    "demo": ("cli_admin", "Watch a memory work, in a minute."),
}
"""Commands with a module of their own; the others are made from the catalogue."""
GROUPS: Final = {
    "review": "Decide what waits for a person: proposals, conflicts, guesses, and what stands near a rejected value.",
    "retention": "Show or erase what is older than the policy keeps.",
    "import": "Take in conversations and notes from elsewhere, or another store's export. Again, it adds nothing.",
    "peers": "List, add and remove other stores of this space.",
    "hook": "Keep what is said and done in Claude Code or Codex, and bring back what is known.",
    "jobs": "Read claims out of what was captured, and propose merges. Both only propose, and run only when asked.",
}
"""Commands of two words, by their first."""
WITHOUT_SECOND: Final = {"peers": "peers list"}
"""What a group does when only its first word is given."""
GLOBAL_VALUES: Final = ("--db", "--space", "--scope", "--actor", "--owner", "--role")
GLOBAL_FLAGS: Final = ("--json",)


class Doors(click.Group):
    """A group whose commands are imported when called, and whose global options may stand anywhere."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the table's order: what one does first comes first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        return find_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary(name)) for name in COMMANDS])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run one command; every way out of it has its exit code (design 02)."""
        leading, rest = hoist(sys.argv[1:] if args is None else list(args))
        as_json = "--json" in leading
        if os.environ.get(COMPLETE_VARIABLE):
            super().main(args, PROGRAM, COMPLETE_VARIABLE)
        try:
            with self.make_context(PROGRAM, [*leading, *rest], **extra) as ctx:
                code = self.invoke(ctx)
            sys.stdout.flush()
        except click.exceptions.Exit as leaving:
            code = leaving.exit_code
        except FirsthandError as error:
            code = report(error, as_json=as_json)
        except click.ClickException as error:
            code = report_usage(error, as_json=as_json)
        except (KeyboardInterrupt, click.Abort):
            code = INTERRUPTED
        except BrokenPipeError:
            code = leave_pipe()
        except Exception as error:
            if os.environ.get(DEBUG_VARIABLE):
                raise
            code = report(unexpected(error), as_json=as_json)
        sys.exit(code if isinstance(code, int) else 0)


class Pair(click.Group):
    """A command of two words, whose second word says what to do."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the catalogue's order."""
        return [second for first, _, second in map(_parted, (*catalogue.PLACES, *OWN)) if first == self.name]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, from its module."""
        return _make(f"{self.name} {cmd_name}")


def _pair(name: str) -> Pair:
    alone = WITHOUT_SECOND.get(name)

    @click.pass_context
    def callback(ctx: click.Context) -> None:
        if ctx.invoked_subcommand is None and alone is not None:
            command = _make(alone)
            assert command is not None
            ctx.invoke(command)

    return Pair(name, help=GROUPS[name], callback=callback, invoke_without_command=alone is not None)


def find_command(name: str) -> click.Command | None:
    """A command by its first word."""
    return _pair(name) if name in GROUPS else _make(name)


def _make(name: str) -> click.Command | None:
    """The command of an operation, or one with a module of its own."""
    if name in OWN:
        module = import_module(f"firsthand.surfaces.{OWN[name][0]}")
        command: click.Command = module.COMMANDS[_parted(name)[2] or name]
        return command
    if name not in catalogue.PLACES:
        return None
    from firsthand.surfaces.commands import command_of

    return command_of(catalogue.find(name))


def _parted(name: str) -> tuple[str, str, str]:
    return name.partition(" ")


def summary(name: str) -> str:
    """What a command does, in one sentence."""
    told = GROUPS.get(name) or (OWN[name][1] if name in OWN else catalogue.find(name).does)
    return told.partition(". ")[0].removesuffix(".") + "."


def hoist(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Global options, wherever they stand, apart from the rest. The value of a command's own option is left alone,
    and so is everything after `--`."""
    leading: list[str] = []
    rest: list[str] = []
    takes_value: frozenset[str] = frozenset()
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            rest += [word, *waiting]
            break
        if word in GLOBAL_VALUES:
            leading += [word, *waiting[:1]]
            del waiting[:1]
        elif word in GLOBAL_FLAGS or word.startswith(tuple(f"{name}=" for name in GLOBAL_VALUES)):
            leading.append(word)
        elif word in takes_value:
            rest += [word, *waiting[:1]]
            del waiting[:1]
        else:
            if not rest and word in COMMANDS:
                takes_value = _options_with_value(word)
            rest.append(word)
    return leading, rest


def _options_with_value(name: str) -> frozenset[str]:
    command = find_command(name)
    assert command is not None, "the name was looked up in the table"
    options = [option for option in command.params if isinstance(option, click.Option) and not option.is_flag]
    return frozenset(spelling for option in options for spelling in option.opts)


def report(error: FirsthandError, *, as_json: bool) -> int:
    """Show an error, on the stream its reader looks at."""
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"error": error.as_dict()}))
    else:
        click.secho(error_sentence(error) + person_hint(error), fg="red", err=True)
    return error.exit_code


def report_usage(error: click.ClickException, *, as_json: bool) -> int:
    """A command line that cannot be read is an `invalid` request."""
    if not as_json:
        error.show()
        return InvalidError.exit_code
    return report(InvalidError("usage", error.format_message()), as_json=as_json)


def unexpected(error: Exception) -> FirsthandError:
    """An error this program did not foresee; its words might hold content, so only its type is named."""
    return BrokenError(
        "unexpected",
        f"an unexpected {type(error).__name__} stopped the command; set {DEBUG_VARIABLE}=1 to see where",
        may_have_written=True,
    )


def leave_pipe() -> int:
    """The reader has gone: say nothing more, and let the interpreter's last flush succeed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def tell_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version and leave."""
    if asked:
        click.echo(f"{PROGRAM} {installed_version()}")
        ctx.exit()


@click.group(
    cls=Doors,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Options above may stand before or after the command; each may also be a FIRSTHAND_* variable or a line "
    "in firsthand.toml. Text may be given as - to read it from standard input.",
)
@click.option("--db", metavar="PATH", help="The memory's file. Default: the platform's data folder.")
@click.option("--space", metavar="NAME", help="Which space of the file. Default: default.")
@click.option("--scope", metavar="KIND:ID", help="What this is about, such as project:orion. Default: space:.")
@click.option("--actor", metavar="NAME", help="Who is speaking. Default: the login name.")
@click.option("--owner", metavar="NAME", help="Whose credential it is. Default: the actor's own.")
@click.option("--role", metavar="ROLE", help="person, agent or system. Default: agent.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON document.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=tell_version, help="Say which.")
@click.pass_context
def app(
    ctx: click.Context,
    db: str | None,
    space: str | None,
    scope: str | None,
    actor: str | None,
    owner: str | None,
    role: str | None,
    as_json: bool,
) -> None:
    """Memory for LLM agents that proves where every belief came from, says what it believed when, and stays
    corrected."""
    ctx.obj = Desk(
        flags={"db": db, "space": space, "scope": scope, "actor": actor, "owner": owner, "role": role},
        as_json=as_json,
    )
    ctx.call_on_close(ctx.obj.close)


def main() -> NoReturn:
    """The command line, whatever it says."""
    open_closed_streams()
    # numpy loads when a recall first runs; the threads its BLAS would start cost a recall more than they can save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    app.main()
