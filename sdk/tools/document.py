"""The document as the clients need it: operations over HTTP, their schemas and the words of errors."""

import copy
import dataclasses
import json
import re

METHODS = ["get", "put", "post", "patch", "delete"]
# Operations whose answer has several arrays: which of them the cursor pages.
ROWS = {"getJob": "failures"}
JSON = "application/json"


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    schema: dict
    required: bool
    about: str


@dataclasses.dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    about: list[str]
    parameters: list[Parameter]
    body: dict | None
    body_required: bool
    data: dict | None
    # It changes something, so it is repeated only under an idempotency key.
    writes: bool
    takes_key: bool
    # In a list that is read in pages, the field with the rows; an empty word: the data are the rows.
    rows: str | None
    row: dict | None


def has(parameters, name):
    return any(found["name"] == name for found in parameters)


class Document:
    def __init__(self, document):
        self.document = without_examples(document)
        self.schemas = self.document["components"]["schemas"]
        self.operations = sorted(
            (
                self.operation(path, method, item[method])
                for path, item in self.document["paths"].items()
                for method in METHODS
                # Channels are WebSockets, no calls.
                if method in item and "101" not in item[method]["responses"]
            ),
            key=lambda operation: operation.id,
        )

    @classmethod
    def read(cls, path):
        """A snapshot: a head between dashes, then the document."""
        return cls(json.loads(path.read_text(encoding="utf-8").split("\n---\n", 1)[1]))

    def operation(self, path, method, raw):
        parameters = raw.get("parameters", [])
        body = raw.get("requestBody")
        success = raw["responses"]["200"]["content"][JSON]["schema"]["properties"]
        rows, row = self.rows(raw["operationId"], success.get("data")) if has(parameters, "cursor") else (None, None)
        return Operation(
            raw["operationId"], method.upper(), path, about(raw),
            [
                Parameter(found["name"], found["schema"], found["required"], found.get("description", ""))
                for found in parameters if found["in"] != "header"
            ],
            body and body["content"][JSON]["schema"], bool(body and body.get("required")), success.get("data"),
            raw["x-writes"], has(parameters, "Idempotency-Key"), rows, row,
        )

    def rows(self, name, data):
        """The field with the rows, and the schema of one."""
        if data.get("type") == "array":
            return "", data["items"]
        arrays = {field: schema["items"] for field, schema in self.fields(data).items() if schema.get("type") == "array"}
        # Lists of ids go with the rows.
        rows = [field for field, items in arrays.items() if self.fields(items)]
        if name not in ROWS and len(rows) != 1:
            raise SystemExit(f"{name}: which of {rows} are the rows? Name it in ROWS of sdk/tools/document.py")
        field = ROWS.get(name, rows[0])
        return field, arrays[field]

    def fields(self, schema):
        if "$ref" in schema:
            return self.fields(self.named(schema))
        parts = [self.fields(part) for part in schema.get("allOf", [])]
        return {name: field for part in [*parts, schema.get("properties", {})] for name, field in part.items()}

    def named(self, schema):
        return self.schemas[name_of(schema)]

    def error_words(self):
        """Each word with the statuses that it comes with."""
        words = {}
        own = [raw["responses"] for item in self.document["paths"].values() for raw in item.values()]
        for responses in [self.document["components"]["responses"], *own]:
            for status, response in responses.items():
                for word in response.get("x-error-words", []):
                    words.setdefault(word, set()).add(status)
        return {word: sorted(statuses) for word, statuses in sorted(words.items())}

    def for_types(self):
        """Without what only repeats itself in types: the bodies of errors, headers of answers, channels."""
        reduced = copy.deepcopy(self.document)
        reduced["components"]["schemas"].pop("Error")
        for kind in ["responses", "headers"]:
            reduced["components"].pop(kind)
        known = {operation.id for operation in self.operations}
        for path, item in list(reduced["paths"].items()):
            for method, raw in list(item.items()):
                if raw["operationId"] not in known:
                    del item[method]
                    continue
                raw["responses"] = {status: answer for status, answer in raw["responses"].items() if status < "400"}
                for answer in raw["responses"].values():
                    answer.pop("headers", None)
            if not item:
                del reduced["paths"][path]
        return reduced


def name_of(schema):
    return schema["$ref"].rsplit("/", 1)[1]


def without_examples(value, are_fields=False):
    """Fields of an object may have any name, also this one."""
    if isinstance(value, list):
        return [without_examples(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: found for name, found in value.items() if are_fields or name not in ("example", "examples")}
    return {name: without_examples(found, name == "properties" and not are_fields) for name, found in kept.items()}


def about(raw):
    """What stands above a method: what it does, and what it needs."""
    rate = raw["x-rate-limit"]
    window = {60: "a minute", 3600: "an hour"}.get(rate["window_seconds"], f"in {rate['window_seconds']} s")
    needs = f"Scope `{raw['x-scope']}`; at most {rate['limit']} calls {window} of this {rate['per']}."
    words = {word for response in raw["responses"].values() for word in response.get("x-error-words", [])}
    errors = f"Errors of its own: {', '.join(f'`{word}`' for word in sorted(words))}." if words else ""
    summary = re.sub(r"(?<![.!?])$", ".", raw["summary"])
    return [text for text in [summary, raw.get("description", ""), needs, errors] if text]
