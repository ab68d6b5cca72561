"""Scenarios: short sequences of requests, written as text files or made by the generator.

A text file holds scenarios, and a scenario holds steps (the README shows the form):

    == a stale write is refused
    Free text up to the first step says what this is about.

    -- create
    POST /api/v1/namespaces/$ns/configmaps
    {"metadata": {"name": "a"}}
    > rv = metadata/resourceVersion

    -- stale
    PUT /api/v1/namespaces/$ns/configmaps/a
    Accept: application/yaml
    {"metadata": {"name": "a", "resourceVersion": "$rv"}}

`$name` is a captured value, `${x*63}` is x repeated. Headers end at a blank line or where the
body starts with a bracket. Every step is one case, with the id <scenario id>/<step name>.
"""

import copy
import json
import pathlib
import re

DIRECTIVE = re.compile(r">\s*(.*)")
CAPTURE = re.compile(r"(\w+)\s*=\s*(\S+)$")
HEADER = re.compile(r"([A-Za-z][A-Za-z0-9.%-]*):\s*(.*)")
REPEAT = re.compile(r"\$\{(.)\*(\d+)\}")
USUAL_HEADER = ("Content-Type", "application/json")  # of requests with a body
VARIABLE = re.compile(r"\$([a-z]\w*)")
CACHED = "cached"  # a kind of settling: until the server's cache has the object


class FormatError(Exception):
    pass


class Step:
    """One request, and what to remember of its answer.

    `body` is text, or None. A generated step may instead name one of the scenario's `bodies` in
    `base` and list the changes to it in `edits`: [path, value] sets, [path] removes.
    """

    def __init__(self, name, method, path, headers=None, body=None, captures=None, events=None,
                 settle=False, base=None, edits=None, until=None):
        self.name, self.method, self.path = name, method, path
        self.headers = headers or {}
        self.body, self.base, self.edits = body, base, edits or []
        self.captures = captures or {}  # variable -> path in the answer, or "raw" for its bytes
        self.events = events            # a watch: read that many events, or to the end of the stream
        self.until = until              # send it again until the answer has this status code
        self.settle = settle            # wait until the server's own controllers have finished with the object, or CACHED

    def verb(self):
        """The verb as authorization and this tool's summary name it."""
        path = self.path.partition("?")[0]
        if self.events is not None:
            return "watch"
        if self.method == "PATCH":
            return "apply" if "apply-patch" in self.headers.get("Content-Type", "") else "patch"
        within = re.sub(r"^/(api/v1|apis/[^/]+/[^/]+)/(namespaces/[^/]+/(?!status|finalize))?", "", path)
        named = "/" in within.strip("/")
        return {"POST": "create", "PUT": "update", "GET": "get" if named else "list",
                "DELETE": "delete" if named else "deletecollection"}.get(self.method, self.method.lower())

    def to_json(self, at):
        """`at` is the path of the scenario's collection, which the requests then leave out."""
        path = "@" + self.path.removeprefix(at) if at and self.path.startswith(at) else self.path
        out = {"step": self.name, "request": f"{self.method} {path}"}
        if headers := {name: value for name, value in self.headers.items() if (name, value) != USUAL_HEADER}:
            out["headers"] = headers
        for key in ("body", "base", "edits", "captures", "settle", "until"):
            if value := getattr(self, key):
                out[key] = value
        if self.events is not None:
            out["events"] = self.events
        return out

    @staticmethod
    def from_json(data, at):
        method, path = data["request"].split(" ", 1)
        path = at + path[1:] if path.startswith("@") else path
        step = Step(data["step"], method, path, data.get("headers"), data.get("body"), data.get("captures"),
                    data.get("events"), data.get("settle", False), data.get("base"), data.get("edits"), data.get("until"))
        if step.has_body():
            step.headers.setdefault(*USUAL_HEADER)
        return step

    def has_body(self):
        return self.body is not None or self.base is not None


class Scenario:
    """Steps that run in order on one connection and share captures and a namespace."""

    def __init__(self, id, steps, bodies=None, at=""):
        self.id, self.steps = id, steps
        self.bodies = bodies or {}  # name -> object that steps are based on
        self.at = at                # the path that most requests start with

    @property
    def namespace(self):
        """Of this scenario alone, the same on every server so that answers naming it compare equal."""
        return re.sub(r"[^a-z0-9]+", "-", self.id.lower())[:63].strip("-")

    def needs_namespace(self):
        texts = [json.dumps(self.bodies)]
        for step in self.steps:
            texts += [step.path, step.body or "", json.dumps(step.edits)]
        return any("$ns" in text for text in texts)

    def case_id(self, step):
        return f"{self.id}/{step.name}"

    def body_of(self, step):
        """The text to send, before variables are put in."""
        if step.base is None:
            return step.body
        value = copy.deepcopy(self.bodies[step.base])
        for edit in step.edits:
            apply_edit(value, *edit)
        return json.dumps(value)


def apply_edit(value, path, *new):
    """Sets what `path` (a/0/b) names to the one value in `new`, or removes it when there is none."""
    *parents, last = [unescape(part) for part in path.split("/")]
    for part in parents:
        value = value[int(part)] if isinstance(value, list) else value.setdefault(part, {})
    if isinstance(value, list):
        last = int(last)
        if not new:
            del value[last]
        elif last == len(value):
            value.append(new[0])
        else:
            value[last] = new[0]
    elif new:
        value[last] = new[0]
    else:
        value.pop(last, None)


def escape(key):
    return key.replace("~", "~0").replace("/", "~1")


def unescape(key):
    return key.replace("~1", "/").replace("~0", "~")


def look_up(value, path):
    """What `path` (a/0/b) names in a JSON value; None when it is not there."""
    for part in path.split("/"):
        try:
            value = value[int(part)] if isinstance(value, list) else value.get(unescape(part))
        except (AttributeError, IndexError, ValueError):
            return None
    return value


def substitute(text, variables):
    """Puts in variables and repeats; a variable that was not captured stays as it is written."""
    text = REPEAT.sub(lambda m: m[1] * int(m[2]), text)
    return VARIABLE.sub(lambda m: str(variables.get(m[1], m[0])), text)


# --- reading text files ---

def read_folder(folder):
    scenarios = []
    for file in sorted(pathlib.Path(folder).glob("*.txt")):
        scenarios += read_text(file.read_text(), file.stem)
    return scenarios


def read_text(text, stem):
    """The scenarios of one file; their ids are scenario/<stem>/<title in dashes>."""
    scenarios, blocks = [], re.split(r"^== *(.+)$", text, flags=re.M)
    for title, content in zip(blocks[1::2], blocks[2::2]):
        id = f"scenario/{stem}/" + re.sub(r"[^a-z0-9]+", "-", title.strip().lower()).strip("-")
        parts = re.split(r"^-- *(\S+) *$", content, flags=re.M)
        steps = [read_step(name, lines, id) for name, lines in zip(parts[1::2], parts[2::2])]
        names = [step.name for step in steps]
        if not steps or len(set(names)) != len(names):
            raise FormatError(f"{id}: no steps, or two of one name")
        scenarios.append(Scenario(id, steps))
    ids = [scenario.id for scenario in scenarios]
    if len(set(ids)) != len(ids):
        raise FormatError(f"{stem}: two scenarios of one name")
    return scenarios


def read_step(name, text, where):
    lines = [line for line in text.strip("\n").split("\n") if not line.startswith("#")]
    try:
        method, path = lines.pop(0).split(" ", 1)
    except ValueError:
        raise FormatError(f"{where}/{name}: no request line") from None
    step = Step(name, method, path.strip())
    while lines and (match := HEADER.fullmatch(lines[0])):
        step.headers[match[1]] = match[2]
        lines.pop(0)
    while lines and not lines[0].strip():
        lines.pop(0)
    body = []
    for line in lines:
        if match := DIRECTIVE.fullmatch(line):
            read_directive(step, match[1], where)
        else:
            body.append(line)
    step.body = "\n".join(body).rstrip("\n") or None
    if step.body and step.body.startswith(("{", "[")):
        step.headers.setdefault("Content-Type", "application/json")
    return step


def read_directive(step, text, where):
    if match := CAPTURE.fullmatch(text):
        step.captures[match[1]] = match[2]
    elif match := re.fullmatch(r"events (\d+)", text):
        step.events = int(match[1])
    elif match := re.fullmatch(r"until (\d+)", text):
        step.until = int(match[1])
    elif text == "settle":
        step.settle = True
    else:
        raise FormatError(f"{where}/{step.name}: unknown directive {text!r}")
