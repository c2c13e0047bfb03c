"""Mem0 over a local Qdrant, in its own environment: texts stored as given, the free embedding, no model ever called."""

import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

os.environ["MEM0_TELEMETRY"] = "False"

import peer_run
from peer_run import Found, own_process
from workload import DIMENSIONS, Fact, embedding


class Mem0:
    """One memory; a user is a scope. Its history file lies beside its vectors."""

    has_scopes = True
    correction = "update by id"
    deletion = "delete by id"

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder / "settings")  # read when it is first imported
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase
        from mem0.utils.factory import EmbedderFactory

        class Free(EmbeddingBase):
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return embedding(text)

        EmbedderFactory.create = lambda *given: Free()  # there is no setting for an embedder of one's own
        self.version = version("mem0ai")
        vectors = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS, "on_disk": True}
        self._memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": vectors},
            "llm": {"provider": "openai", "config": {"api_key": "none: it is never called"}},
            "history_db_path": str(folder / "history.db"),
        })  # fmt: skip

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        said = [{"role": "user", "content": fact.text} for fact in batch]
        self._memory.add(said, user_id=scope, infer=False)

    def write(self, fact: Fact, scope: str) -> object:
        (made,) = self._memory.add(fact.text, user_id=scope, infer=False)["results"]
        return made["id"]

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        found = self._memory.search(question, top_k=limit, filters={"user_id": scope})
        return [Found(item["memory"]) for item in found["results"]]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        self._memory.update(key, text=new.text)

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        self._memory.delete(key)

    def processes(self) -> list[int]:
        return own_process()

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()


if __name__ == "__main__":
    peer_run.main(Mem0)
