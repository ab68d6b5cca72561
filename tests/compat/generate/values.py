"""Makes an object with every field set, from upstream's OpenAPI v3 schemas."""

import copy
import re

from generate import overrides

REFERENCE = "#/components/schemas/"
DEEPEST = 12  # a schema that contains itself ends here


class Schemas:
    """All schemas of a server, by their full names."""

    def __init__(self, read):
        """`read(path)` gets a JSON document."""
        self._schemas = {}
        for path, entry in read("/openapi/v3")["paths"].items():
            if path.startswith("api"):
                document = read(entry["serverRelativeURL"])
                self._schemas.update(document.get("components", {}).get("schemas", {}))

    def of_kind(self, group, version, kind):
        for name, schema in self._schemas.items():
            for known in schema.get("x-kubernetes-group-version-kind", []):
                if (known["group"], known["version"], known["kind"]) == (group, version, kind):
                    return name
        return None

    def properties(self, name):
        return self._schemas.get(name, {}).get("properties", {})

    def required(self, name):
        return self._schemas.get(name, {}).get("required", [])

    def resolve(self, schema):
        """The name of the schema that this one refers to, or None for an inline one."""
        for part in [schema, *schema.get("allOf", [])]:
            if "$ref" in part:
                return part["$ref"].removeprefix(REFERENCE)
        return None

    def full(self, name, depth=0):
        """A value of the named type with every field set, or overrides.OMIT."""
        short = name.rsplit(".", 1)[1]
        if short in overrides.TYPES:
            return copy.deepcopy(overrides.TYPES[short])
        if depth > DEEPEST or not self.properties(name):
            return overrides.OMIT
        out = {}
        for field, schema in self.properties(name).items():
            value = self._field(name, field, schema, depth)
            if value is not overrides.OMIT:
                out[field] = value
        return out

    def _field(self, type_name, field, schema, depth):
        version, short = type_name.rsplit(".", 2)[-2:]
        for key in (f"{version}.{short}.{field}", f"{short}.{field}", field):
            if key in overrides.FIELDS:
                return copy.deepcopy(overrides.FIELDS[key])
        return self._value(field, schema, depth)

    def _value(self, field, schema, depth):
        if reference := self.resolve(schema):
            return self.full(reference, depth + 1)
        kind = schema.get("type")
        if kind == "array":
            return self._list(field, schema["items"], depth)
        if kind == "object":
            item = schema.get("additionalProperties")
            value = self._value(field, item, depth) if isinstance(item, dict) else overrides.OMIT
            return {"k": value} if value is not overrides.OMIT else {}
        if kind == "string":
            if "enum" in schema:
                return schema["enum"][0]
            return "YWJj" if schema.get("format") == "byte" else re.sub(r"[^a-z0-9]", "", field.lower())
        return {"integer": 1, "number": 1.5, "boolean": True}.get(kind, overrides.OMIT)

    def _list(self, field, items, depth):
        reference = self.resolve(items)
        short = reference.rsplit(".", 1)[1] if reference else None
        value = self._value(field, items, depth)
        if value is overrides.OMIT:
            return value
        if short not in overrides.ONE_OF:
            return [value]
        # One element for each member of the union, each with the fields that all have.
        common = overrides.ONE_OF[short]
        elements = []
        for member in value:
            if member not in common:
                element = {name: copy.deepcopy(value[name]) for name in common if name in value}
                if "name" in element:
                    element["name"] = "n-" + member.lower()
                elements.append({**element, member: value[member]})
        return elements
