"""Changes to an object that a server should refuse, or notice."""

from lib.scenario import escape
from generate import overrides

WRONG_TYPES = 3  # per resource; all decode alike


class Leaf:
    """One value inside an object, with what its schema says of it."""

    def __init__(self, path, value, schema, required):
        self.path, self.value, self.required = path, value, required
        self.enum = schema.get("enum")
        self.label = path.replace("/", ".")

    @property
    def depth(self):
        return self.path.count("/")


def leaves(schemas, name, value, path=""):
    """The leaves below an object of the named type, shallow ones first."""
    found = []
    _walk(schemas, {"$ref": name}, value, path, False, found)
    return sorted(found, key=lambda leaf: leaf.depth)


def _walk(schemas, schema, value, path, required, found):
    name = schemas.resolve(schema)
    if isinstance(value, dict):
        properties = schemas.properties(name) if name else {}
        for key, item in value.items():
            if not path and key in ("apiVersion", "kind", "metadata", "status"):
                continue
            if "/" in key or "." in key:
                continue  # a key of a map, as good as any other
            inner = properties.get(key) or schema.get("additionalProperties") or {}
            _walk(schemas, inner if isinstance(inner, dict) else {}, item, f"{path}/{escape(key)}" if path else key,
                  bool(name) and key in schemas.required(name), found)
    elif isinstance(value, list):
        if value:
            _walk(schemas, schema.get("items", {}), value[0], f"{path}/0", False, found)
    else:
        found.append(Leaf(path, value, schema, required))


def spread(items, limit):
    """`limit` of the items: the first half as they come, the others evenly from the rest."""
    if len(items) <= limit:
        return items
    head, rest = items[:limit // 2], items[limit // 2:]
    wanted = limit - len(head)
    return head + [rest[i * len(rest) // wanted] for i in range(wanted)]


def invalid(found, limit):
    """(name, edit) pairs, each making the object wrong in one place."""
    out, texts, numbers, wrong_types = [], 0, 0, 0
    for leaf in spread(found, limit):
        if leaf.required:
            out.append(("missing", leaf, [leaf.path]))
        if leaf.enum:
            out.append(("enum", leaf, [leaf.path, "Bogus"]))
        elif isinstance(leaf.value, bool):
            if wrong_types < WRONG_TYPES:
                out.append(("type", leaf, [leaf.path, "true"]))
                wrong_types += 1
        elif isinstance(leaf.value, (int, float)):
            out.append(("negative", leaf, [leaf.path, -1]))
            numbers += 1
            if numbers <= 3:
                out.append(("range", leaf, [leaf.path, 4294967296]))
        elif leaf.value == overrides.EARLY:
            out.append(("time", leaf, [leaf.path, "yesterday"]))
        elif isinstance(leaf.value, str):
            out.append(("text", leaf, [leaf.path, "Bad Value!"]))
            texts += 1
            if texts <= 3:
                out.append(("long", leaf, [leaf.path, "${x*300}"]))
                out.append(("empty", leaf, [leaf.path, ""]))
    return [(f"{name}.{leaf.label}", edit) for name, leaf, edit in out]


def changes(found, limit):
    """(name, edit) pairs, each changing one value to another that could be good."""
    out = []
    for leaf in spread(found, limit):
        value = leaf.value
        if leaf.enum:
            other = next((one for one in leaf.enum if one != value), None)
        elif isinstance(value, bool):
            other = not value
        elif isinstance(value, (int, float)):
            other = value + 1
        elif isinstance(value, str):
            other = value + "2"
        else:
            other = None
        if other is not None:
            out.append((f"change.{leaf.label}", [leaf.path, other]))
    return out
