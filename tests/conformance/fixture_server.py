"""The server under the conformance suite: our protocol loop, with what the suite calls and only a fixture has.

What the loop itself answers (initialize, ping, errors, the order of calls) is left as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

from firsthand.surfaces.mcp.context import RESOURCE_NOT_FOUND
from firsthand.surfaces.mcp.server import Server
from firsthand.surfaces.mcp.wire import INVALID_PARAMS, Wire, WireError
from firsthand.vocabulary.errors import AbsentError

Json = dict[str, Any]
PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
IMAGE: Final[Json] = {"type": "image", "data": PNG, "mimeType": "image/png"}
NOTHING: Final[Json] = {"type": "object", "properties": {}, "additionalProperties": False}
SCHEMA_2020: Final[Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def resource(uri: str, mime: str, words: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": words}}


TOOLS: Final[dict[str, Json]] = {
    "test_simple_text": {"content": [text("This is a simple text response for testing.")]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]},
    "test_embedded_resource": {
        "content": [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    },
    "test_multiple_content_types": {
        "content": [
            text("Multiple content types test:"),
            IMAGE,
            resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ]
    },
    "test_error_handling": {
        "isError": True, "content": [text("This tool intentionally returns an error for testing")]
    },
    "json_schema_2020_12_tool": {"content": [text("ok")]},
}  # fmt: skip
RESOURCES: Final[dict[str, Json]] = {
    "test://static-text": {
        "mimeType": "text/plain", "text": "This is the content of the static text resource."
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}  # fmt: skip
TEMPLATE: Final = ("test://template/", "/data")
PROMPTS: Final[dict[str, tuple[str, ...]]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def list_tools(params: Json) -> Json:
    described = dict.fromkeys(TOOLS, "A tool of the conformance suite.")
    schemas = {"json_schema_2020_12_tool": SCHEMA_2020}
    return {
        "tools": [
            {"name": name, "description": told, "inputSchema": schemas.get(name, NOTHING)}
            for name, told in described.items()
        ]
    }


def call_tool(params: Json) -> Json:
    if params.get("name") not in TOOLS:
        raise WireError(INVALID_PARAMS, "there is no tool of this name")
    return TOOLS[params["name"]]


def list_resources(params: Json) -> Json:
    return {"resources": [{"uri": uri, "name": uri, "mimeType": r["mimeType"]} for uri, r in RESOURCES.items()]}


def list_templates(params: Json) -> Json:
    template = {"uriTemplate": "{id}".join(TEMPLATE), "name": "template", "mimeType": "application/json"}
    return {"resourceTemplates": [template]}


def read_resource(params: Json) -> Json:
    uri = str(params.get("uri"))
    begins, ends = TEMPLATE
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    if not (uri.startswith(begins) and uri.endswith(ends)):
        raise WireError(RESOURCE_NOT_FOUND, "there is no such resource")
    named = uri.removeprefix(begins).removesuffix(ends)
    told = json.dumps({"id": named, "templateTest": True, "data": f"Data for ID: {named}"})
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": told}]}


def list_prompts(params: Json) -> Json:
    def arguments(names: tuple[str, ...]) -> list[Json]:
        return [{"name": name, "description": "An argument.", "required": True} for name in names]

    return {
        "prompts": [
            {"name": name, "description": "A prompt of the conformance suite.", "arguments": arguments(names)}
            for name, names in PROMPTS.items()
        ]
    }


def get_prompt(params: Json) -> Json:
    given: Json = params.get("arguments") or {}
    match params.get("name"):
        case "test_simple_prompt":
            said = [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            said = [text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
        case "test_prompt_with_embedded_resource":
            embedded = resource(str(given.get("resourceUri")), "text/plain", "Embedded resource content for testing.")
            said = [embedded, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            said = [IMAGE, text("Please analyze the image above.")]
        case _:
            raise WireError(INVALID_PARAMS, "there is no prompt of this name")
    return {"messages": [{"role": "user", "content": content} for content in said]}


class FixtureServer(Server):
    """Our server, with other things to offer."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, no_memory, scopes=("project:conformance",))
        offers: dict[str, Callable[[Json], Json]] = {
            "tools/list": list_tools, "resources/list": list_resources,
            "resources/templates/list": list_templates, "prompts/list": list_prompts,
        }  # fmt: skip
        does: dict[str, Callable[[Json], Json]] = {
            "tools/call": call_tool, "resources/read": read_resource, "prompts/get": get_prompt
        }  # fmt: skip
        self._at_once |= offers
        self._in_turn |= does


def no_memory(client: str) -> NoReturn:
    raise AbsentError("memory_absent", "the fixture has no memory")


if __name__ == "__main__":
    FixtureServer(Wire(sys.stdin.buffer, sys.stdout.buffer)).serve()
