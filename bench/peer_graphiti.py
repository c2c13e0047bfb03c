"""Graphiti over an embedded Kuzu, in its own environment: ready edges and nodes, hybrid search, no model ever called.

What reads text into facts and decides what a new fact ends is a model's work there, so it is not measured: each fact
comes as an edge between two nodes, and a correction ends the old edge in the field that is for that.
"""

import asyncio
import os
import uuid
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from workload import DIMENSIONS, Fact, embedding

os.environ["EMBEDDING_DIM"] = str(DIMENSIONS)  # read when it is first imported
os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.errors import GroupIdValidationError
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.nodes import EntityNode
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

from peer_run import Found, Refused, main, own_process

T = TypeVar("T")


class _Free(EmbedderClient):
    async def create(self, input_data: object) -> list[float]:
        return embedding(input_data if isinstance(input_data, str) else input_data[0])

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        return [embedding(text) for text in input_data_list]


class _NoModel(LLMClient):
    async def _generate_response(self, *given: object, **more: object) -> dict:
        raise AssertionError("a model was called")


class _NoRanker(CrossEncoderClient):
    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        raise AssertionError("a model was called")


class Graph:
    """One graph in one file; a group is a scope."""

    has_scopes = True
    correction = "a new edge, and invalid_at on the old one"
    deletion = "delete of the edge and its two nodes"

    def __init__(self, folder: Path) -> None:
        self.version = version("graphiti-core")
        self._loop = asyncio.new_event_loop()
        place = folder / "graph.kuzu"
        is_new = not place.exists()
        self._driver = KuzuDriver(str(place))
        if is_new:
            self._run(self._driver.graph_ops.build_indices_and_constraints(self._driver))
        self._graph = Graphiti(
            graph_driver=self._driver, llm_client=_NoModel(None), embedder=_Free(), cross_encoder=_NoRanker()
        )
        self._named: set[str] = set()

    def _run(self, work: Coroutine[object, object, T]) -> T:
        return self._loop.run_until_complete(work)

    def _node(self, name: str, scope: str) -> EntityNode:
        made = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{scope}/{name}"))
        return EntityNode(uuid=made, name=name, group_id=scope, name_embedding=embedding(name))

    def _parts(self, fact: Fact, scope: str) -> tuple[list[EntityNode], EntityEdge]:
        source, target = self._node(fact.subject, scope), self._node(fact.structure["object"], scope)
        edge = EntityEdge(
            source_node_uuid=source.uuid, target_node_uuid=target.uuid, name=fact.predicate, fact=fact.text,
            group_id=scope, fact_embedding=embedding(fact.text), created_at=datetime.now(UTC),
        )  # fmt: skip
        return [source, target], edge

    def _add(self, batch: Sequence[Fact], scope: str) -> list[EntityEdge]:
        nodes: dict[str, EntityNode] = {}
        edges = []
        for fact in batch:
            parts, edge = self._parts(fact, scope)
            nodes |= {node.uuid: node for node in parts if node.uuid not in self._named}
            edges.append(edge)
        self._run(add_nodes_and_edges_bulk(self._driver, [], [], list(nodes.values()), edges, self._graph.embedder))
        self._named |= set(nodes)
        return edges

    def fill(self, batch: Sequence[Fact], scope: str) -> None:
        self._add(batch, scope)

    def write(self, fact: Fact, scope: str) -> object:
        (edge,) = self._add([fact], scope)
        return edge.uuid

    def search(self, question: str, limit: int, scope: str) -> list[Found]:
        try:
            found = self._run(self._graph.search(question, group_ids=[scope], num_results=limit))
        except GroupIdValidationError as error:
            raise Refused from error
        return [Found(edge.fact, edge.invalid_at is None and edge.expired_at is None) for edge in found]

    def correct(self, key: object, old: Fact, new: Fact, scope: str) -> None:
        edge = self._run(EntityEdge.get_by_uuid(self._driver, str(key)))
        self._run(edge.load_fact_embedding(self._driver))
        edge.invalid_at = edge.expired_at = datetime.now(UTC)
        self._run(edge.save(self._driver))
        self._add([new], scope)

    def delete(self, key: object, fact: Fact, scope: str) -> None:
        nodes, _ = self._parts(fact, scope)
        self._run(self._run(EntityEdge.get_by_uuid(self._driver, str(key))).delete(self._driver))
        for node in nodes:
            self._run(node.delete(self._driver))

    def processes(self) -> list[int]:
        return own_process()

    def close(self) -> None:
        self._driver.client.close()
        self._driver.db.close()
        self._loop.close()


if __name__ == "__main__":
    main(Graph)
