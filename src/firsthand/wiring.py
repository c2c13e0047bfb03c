"""The only file that names a concrete adapter: from settings to a `Memory`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path

from firsthand.capture.cleaning import no_secret
from firsthand.capture.gateway import Gateway
from firsthand.capture.secrets import mask
from firsthand.config import default_database
from firsthand.embedding import catch_up
from firsthand.handled import Engine
from firsthand.inference.choosing import DEFAULT, embedder_of, is_remote, replaces, reranker_of, setting_of
from firsthand.journal import Journal
from firsthand.ledger import first_names
from firsthand.memory import Memory
from firsthand.ports import NOBODY, Clock, Embedder, Embedding, Reader, Store
from firsthand.rules.access import Handle, handle
from firsthand.rules.identity import Keyed
from firsthand.rules.policy import parse_policy
from firsthand.store.copying import Ends, copy_database, ends_of, install_database
from firsthand.store.floor import Floor
from firsthand.store.keys import KeyFile
from firsthand.store.sqlite import DEVICE_SUFFIX, KEYS_SUFFIX, SqliteStore
from firsthand.store.translating import translated
from firsthand.vocabulary.errors import BrokenError, ConflictError, DeniedError, InvalidError
from firsthand.vocabulary.grants import OPERATOR_GRANT, SPACE_WIDE, Author, Grant, check_scope, check_slug
from firsthand.vocabulary.kinds import ROLES, Role

DATA = Path(__file__).with_name("data")
POLICIES = ("default", "strict")
SYNCHRONOUS = ("FULL", "NORMAL", "OFF", "EXTRA")
NAMES_CHECKED = 8
CATCH_UP_TIMES = 2
CATCH_UP_DOCUMENTS = 250
"""How many transactions of how many documents an opening takes to make vectors that wait: less than 0.1 seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Microseconds UTC."""
        return time.time_ns() // 1_000


def open(  # noqa: A001
    url: str | Path | None = None,
    *,
    space: str = "default",
    scope: str = SPACE_WIDE,
    actor: str | None = None,
    owner: str | None = None,
    role: Role = "agent",
    harness: str = "library",
    model: str | None = None,
    session: str | None = None,
    device: str | None = None,
    grant: Grant | None = None,
    policy: str | None = None,
    embedder: str | None = DEFAULT,
    reranker: str | None = None,
    clock: Clock | None = None,
    receipts: bool = True,
    one_shot: bool = False,
    create: bool = True,
    synchronous: str = "FULL",
    vfs: str | None = None,
) -> Memory:
    """Open a memory: a path is one SQLite file, nothing is the platform's data folder; makes it if it is not there.

    `actor` is who writes, `owner` whose credential it is (the actor itself unless said). `grant=None` is the operator
    of that file, over the whole space. `policy` (`default`, `strict`, or TOML) is put in force for the whole space and
    stays so until another is; unset leaves the one in force. `embedder` is `default`, a sentence model as
    `onnx:FOLDER`, or an endpoint as `https://host/v1#model`; a space keeps the one it has (`ConflictError`) until
    `Memory.reindex`. `None` makes no vectors and looks at none: what is written waits for one. `reranker`, as
    `onnx:FOLDER`, judges the best of each recall once more. `one_shot=True` is for a process that asks once, as a hook
    does: recall ranks by vectors and does not search by them, which would mean reading them all (`vector_arm_dropped`).
    With `create=False` a file that is not there is an error. Whoever can open the file can claim any role. Raises
    `InvalidError` for a bad argument, `DeniedError` for a policy under a grant, `BrokenError` for a file that is
    damaged or not ours.
    """
    _check_choices(space=space, scope=scope, role=role, grant=grant, synchronous=synchronous)
    who = actor if actor is not None else role
    author = Author(
        actor=who, owner=owner if owner is not None else who, role=role, harness=harness, model=model, session=session,
        device=device,
    )  # fmt: skip
    _check_names(space, scope, author)
    embeds, judges = chosen_embedder(embedder), reranker_of(reranker)
    store = SqliteStore(_path(url, create=create), synchronous=synchronous, vfs=vfs, embedder=embeds)
    try:
        keyed = Keyed(store.space_key(space), store.older_keys(space))
        _check_key(store, keyed, space)
        gateway = Gateway(store, Journal(store, space), clock or SystemClock())
        _project(store, space, is_default=embedder == DEFAULT)
        caller = handle(space=space, scope=scope, author=author, grant=grant or OPERATOR_GRANT, keyed=keyed)
        if policy is not None:
            _put_in_force(gateway, caller, policy)
        _clean_up(gateway, caller)
    except BaseException:
        store.close()
        raise
    engine = Engine(store, gateway, one_shot=one_shot, reranker=judges, choose=chosen_embedder)
    return Memory(engine, caller, receipts=receipts)


def join(url: str | Path | None, key_file: str | Path) -> str:
    """Make a store of a space that exists elsewhere, from the key that `memory.peers.share_key` wrote; its space.

    The space must have no entries here yet (`ConflictError`). From then on the two take in each other's exports.
    """
    from firsthand.moving.joining import read_key

    space, key = read_key(Path(key_file))
    store = SqliteStore(_path(url, create=True))
    try:
        store.take_key(space, key)
    finally:
        store.close()
    return space


def find_database(url: str | Path | None) -> Path:
    """Where the file of a memory is, or would be."""
    return _file(url)


def install(database: Path, target: Path, seen: Ends) -> bool:
    """Put a database nobody uses, with its keys, in the place of another or of none, if that is still as `seen`."""
    with translated():
        return install_database(database, target, seen, KEYS_SUFFIX, DEVICE_SUFFIX)


def lend_keys(target: Path, database: Path) -> bool:
    """Copy the keys beside one place to another that lacks them; whether there are keys there now."""
    keys, missing = (path.with_name(path.name + KEYS_SUFFIX) for path in (target, database))
    if keys.exists() and not missing.exists():
        KeyFile(keys).copy_to(missing)
    return missing.exists()


def copied(url: str | Path | None, folder: Path) -> Path:
    """One state of a memory's file, and its keys, in a folder; the memory is not opened for that, only its file."""
    source, copy = _path(url, create=False), folder / "copy.db"
    with translated():
        copy_database(source, copy, None, None)
    copy.chmod(0o600)
    lend_keys(source, copy)
    return copy


def floor(path: Path, texts: Iterable[str]) -> Floor:
    """A file of bare SQLite with these texts, to measure beside a memory."""
    return Floor(path, texts)


def ends(database: Path) -> Ends:
    """Where the ledger of each space of a file ends."""
    with translated():
        return ends_of(database)


def _check_choices(*, space: str, scope: str, role: Role, grant: Grant | None, synchronous: str) -> None:
    check_slug(space, "space")
    check_scope(scope)
    if role not in ROLES:
        raise InvalidError("role_unknown", f"role is one of {', '.join(ROLES)}", field="role")
    if grant is not None and not isinstance(grant, Grant):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("grant_invalid", "grant is a firsthand.Grant", field="grant")
    if synchronous not in SYNCHRONOUS:
        raise InvalidError(
            "synchronous_unknown", f"synchronous is one of {', '.join(SYNCHRONOUS)}", field="synchronous"
        )


def _check_names(space: str, scope: str, author: Author) -> None:
    """No name may hold a secret."""
    names = {"space": space, "scope": scope, "actor": author.actor, "owner": author.owner, "harness": author.harness,
             "model": author.model, "session": author.session, "device": author.device}  # fmt: skip
    for field, name in names.items():
        no_secret(name, field)


def _check_key(store: Store, keyed: Keyed, space: str) -> None:
    """Another key would find nothing of what is stored, and let through what was taken back.

    One name that agrees is enough. Which of the others is damaged, or cannot be read at all, is for `verify` to say.
    """
    try:
        with store.reading(space) as reader:
            known = [*reader.some_names("who", NAMES_CHECKED), *first_names(reader, "who", NAMES_CHECKED)]
    except BrokenError:
        return
    if known and not any(k.who(name) == name_id for k in keyed.versions for name_id, name in known):
        raise BrokenError(
            "key_wrong",
            "the key file beside the database is not the one it was written with; restore it from the same backup",
        )


def chosen_embedder(text: str | None) -> Embedder | None:
    """The embedder that a setting names. Whatever it sends to another machine has its secrets masked once more."""
    if text is not None:
        no_secret(text, "embedder")
    return embedder_of(text, lambda said: mask(said).text)


def is_elsewhere(embedder: str) -> bool:
    """Whether a setting names an embedder on another machine."""
    return is_remote(embedder)


def _project(store: SqliteStore, space: str, *, is_default: bool) -> None:
    """Replay a space of an older file, which has no projections yet; see to it that its vectors are by our embedder.

    A broken ledger is for `verify` to say; until then nothing is written to a space without projections.
    """
    with store.reading(space) as reader:
        held, unprojected = reader.embedding(), _is_unprojected(reader)
    if held is not None:
        _check_pin(store.embedder, held, is_default=is_default)
    if store.is_read_only:
        return
    if unprojected:
        from firsthand.audit import replay_all

        with contextlib.suppress(BrokenError), store.writing(space) as writer:
            if _is_unprojected(writer):
                replay_all(writer, None)
    if store.embedder is not None and held is not None:
        _adopt(store, space, store.embedder, held)


def _is_unprojected(reader: Reader) -> bool:
    return reader.embedding() is None and bool(reader.head().position)


def _check_pin(embedder: Embedder | None, held: Embedding, *, is_default: bool) -> None:
    """All vectors of a space are by one embedder; who comes with another is told which."""
    if embedder is None or held.identity in (NOBODY, embedder.identity) or replaces(embedder.identity, held.identity):
        return
    given = "embedder is not set" if is_default else "embedder is another"
    raise ConflictError(
        "embedder_differs",
        f"the vectors of this space are by {held.identity}, and {given}; set embedder to {setting_of(held.identity)} "
        "(embedder=, FIRSTHAND_EMBEDDER or firsthand.toml), or to none",
        field="embedder", next_action="reindex", details={"embedder": held.identity},
    )  # fmt: skip


def _adopt(store: SqliteStore, space: str, embedder: Embedder, held: Embedding) -> None:
    """Take a space that is nobody's yet or of an older version of our own words, and make some of what waits."""
    if held.identity != embedder.identity:
        with store.writing(space) as writer:
            now = writer.embedding()
            if now is not None and replaces(embedder.identity, now.identity):
                writer.renew_vectors()
            else:
                writer.pin()
    for _ in range(CATCH_UP_TIMES if embedder.is_exact else 1):
        with store.reading(space) as reader:
            if embedder.is_remote or not reader.pending(0, 1):
                return
        with store.writing(space) as writer:
            catch_up(writer, embedder, CATCH_UP_DOCUMENTS if embedder.is_exact else None)


def _put_in_force(gateway: Gateway, caller: Handle, policy: str) -> None:
    if caller.grant is not OPERATOR_GRANT:
        raise DeniedError("policy_not_granted", "only the operator of the file sets its policy", field="policy")
    rules = parse_policy(_policy_text(policy), lambda name: caller.keyed.digest("origin", name))
    gateway.set_policy(caller, rules)


def _clean_up(gateway: Gateway, caller: Handle) -> None:
    """Clean the file after an erasure that was committed and then interrupted."""
    with gateway.store.reading(caller.space) as reader:
        unfinished = reader.unfinished_erasures()
    if unfinished:
        from firsthand.capture.certify import finish_all

        finish_all(gateway, caller, crashed_only=True)


def _path(url: str | Path | None, *, create: bool) -> Path:
    path = _file(url)
    if not create and not path.exists():
        raise BrokenError("memory_missing", "there is no memory at this place; `firsthand init` makes one", field="url")
    return path


def _file(url: str | Path | None) -> Path:
    if url is None:
        path = default_database()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return path
    if not isinstance(url, str | Path) or "\x00" in str(url):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("url_unknown", "url is a path or sqlite:///path", field="url")
    text = str(url)
    if text.startswith(("postgresql://", "postgres://")):
        raise InvalidError("engine_unknown", "this version opens SQLite files only", field="url")
    if "://" in text and not text.startswith("sqlite://"):
        raise InvalidError("url_unknown", "url is a path or sqlite:///path", field="url")
    path = Path(text.removeprefix("sqlite://"))
    if not path.parent.is_dir():
        raise BrokenError("folder_missing", "the folder of the database does not exist", field="url")
    return path


def _policy_text(policy: str) -> str:
    """A policy by name, or the text of one."""
    if policy in POLICIES:
        return (DATA / f"policy_{policy}.toml").read_text(encoding="utf-8")
    return policy
