"""A model in a folder, laid out as by sentence-transformers: found, named by its bytes, run a text at a time.

The vectors of a text depend on nothing beside it, since nothing runs beside it, and one thread does the sums. They are
the same byte for byte wherever the same onnxruntime runs on the same kind of processor; another kind may round a
number in a few hundred one step differently, which no search notices.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from firsthand.vocabulary.errors import InvalidError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENIZER: Final = "tokenizer.json"
USUAL_NAME: Final = "model.onnx"
FOLDERS: Final = (".", "onnx")
NEEDS: Final = ("onnxruntime", "tokenizers")
TOKENS_DEFAULT: Final = 256
TOKENS_MOST: Final = 512
CHARACTERS_A_TOKEN: Final = 16
"""So much of a text is looked at for every token that the model reads."""
SETTINGS_BYTES: Final = 1 << 20
STATES: Final = ("last_hidden_state", "token_embeddings")
INPUTS: Final = frozenset(("input_ids", "attention_mask", "token_type_ids"))
FATAL_ONLY: Final = 4
"""What the runtime may say on the error stream: it warns of graphs that run well."""


class Tokens(NamedTuple):
    """A text, or two, as a model reads it; `own`: the places of what is no mark of the model's and known to it."""

    ids: list[int]
    types: list[int]
    own: list[int]


class OnnxModel:
    """A model and its tokenizer. The folder is looked at at once, the model is loaded by the first text."""

    def __init__(self, folder: Path, field: str) -> None:
        self._field = field
        if not all(find_spec(name) for name in NEEDS):
            raise InvalidError(
                "extra_missing", "onnxruntime and tokenizers are not installed: pip install 'firsthand[onnx]'",
                field=field,
            )  # fmt: skip
        if not folder.is_dir():
            raise InvalidError("model_missing", "there is no folder at the place named after onnx", field=field)
        self._file = self._model_of(folder)
        self._tokenizer_file = folder / TOKENIZER
        if not self._tokenizer_file.is_file():
            raise self.unfit(f"the folder has no {TOKENIZER}")
        self._folder = folder
        self.tokens = self._length()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def settings(self, name: str) -> dict[str, Any]:
        """One of the folder's files of settings; nothing where it is not there."""
        found = self._json(name)
        if found is not None and not isinstance(found, dict):
            raise self.unfit(f"{name} holds no settings")
        return cast("dict[str, Any]", found or {})

    def modules(self) -> list[str]:
        """What comes after one another in the model, by its own list."""
        found = self._json("modules.json")
        return [str(each) for each in cast("list[object]", found)] if isinstance(found, list) else []

    def unfit(self, why: str) -> InvalidError:
        """What to raise where the folder holds another thing than the model it is taken for."""
        return InvalidError("model_unfit", f"not a model that can be used here: {why}", field=self._field)

    def digest(self, *settings: object) -> str:
        """Of every byte that the model is made of, and of the settings it runs with."""
        made = hashlib.sha256(repr((self.tokens, *settings)).encode())
        beside = sorted(p for p in self._file.parent.iterdir() if p.is_file() and p.name.startswith(self._file.name))
        for file in (*beside, self._tokenizer_file):
            with file.open("rb") as opened:
                made.update(hashlib.file_digest(opened, "sha256").digest())
        return made.hexdigest()[:16]

    def read(self, text: str, beside: str | None = None) -> Tokens:
        """The tokens of a text, or of two that are judged together."""
        loaded, most = self._load(), self.tokens * CHARACTERS_A_TOKEN
        pair = (text[:most],) if beside is None else (text[:most], beside[:most])
        found = loaded.tokenizer.encode(*pair)
        marks: Iterable[tuple[int, int]] = zip(found.ids, found.special_tokens_mask, strict=True)
        own = [at for at, (number, mark) in enumerate(marks) if not mark and number != loaded.unknown]
        return Tokens(found.ids, found.type_ids, own)

    def run(self, read: Tokens) -> NDArray[np.float32]:
        """What the model makes of them: a row for each token, or one for the whole."""
        import numpy as np

        loaded = self._load()
        ids = np.array([read.ids], dtype=np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([read.types], dtype=np.int64),
        }
        (made,) = loaded.session.run([loaded.output], {name: given[name] for name in loaded.inputs})
        if not np.isfinite(made).all():
            raise self.unfit("it makes numbers that are none")
        return made[0]

    # ---- loading ---------------------------------------------------------------------------------------------------

    def _load(self) -> _Loaded:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._open()
        return self._loaded

    def _open(self) -> _Loaded:
        runtime, tokenizers = (import_module(name) for name in NEEDS)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = FATAL_ONLY
        try:
            session = runtime.InferenceSession(str(self._file), options, providers=["CPUExecutionProvider"])
            tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:
            # Neither library has errors of its own that could be told from others.
            raise self.unfit(f"it cannot be loaded ({type(error).__name__})") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.tokens)
        inputs = tuple(each.name for each in session.get_inputs())
        if not set(inputs) <= INPUTS or "input_ids" not in inputs:
            raise self.unfit("it asks for other things than tokens")
        outputs = [each.name for each in session.get_outputs()]
        output = next((name for name in STATES if name in outputs), outputs[0])
        unknown = getattr(tokenizer.model, "unk_token", None)
        return _Loaded(session, tokenizer, inputs, output, tokenizer.token_to_id(unknown) if unknown else None)

    def _model_of(self, folder: Path) -> Path:
        """The ONNX file of a folder: by the usual name, or the only one there is."""
        found = [file for place in FOLDERS for file in sorted((folder / place).glob("*.onnx"))]
        usual = [file for file in found if file.name == USUAL_NAME]
        if not found:
            raise self.unfit("there is no .onnx file in it, nor in its folder onnx")
        if not usual and len(found) > 1:
            raise self.unfit(f"it has several .onnx files, and none is called {USUAL_NAME}")
        return (usual or found)[0]

    def _json(self, name: str) -> object:
        file = self._folder / name
        if not file.is_file():
            return None
        try:
            return json.loads(file.read_bytes()[:SETTINGS_BYTES])
        except ValueError:
            raise self.unfit(f"{name} is not JSON") from None

    def _length(self) -> int:
        """How many tokens the model reads of a text."""
        asked = (
            self.settings("sentence_bert_config.json").get("max_seq_length"),
            self.settings("config.json").get("max_position_embeddings"),
        )
        numbers = [n for n in asked if isinstance(n, int) and not isinstance(n, bool) and n > 0]
        return min(*numbers, TOKENS_MOST) if numbers else TOKENS_DEFAULT


class _Loaded(NamedTuple):
    """A model that is ready. What the libraries give has no types."""

    session: Any
    tokenizer: Any
    inputs: tuple[str, ...]
    output: str
    unknown: int | None
