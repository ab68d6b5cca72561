"""Replaces in answers what must differ between two servers, or between two runs of one.

What is replaced keeps the part that clients rely on. A resourceVersion becomes its order relative
to the last time the same object was seen in the scenario; a uid tells whether the object of that
name is still the same one; a generated name keeps its prefix. Values that the scenario itself
sent are left alone: requests use dates, uids, ports and addresses that no server would make up.
"""

import base64
import json
import re
import time

from lib import protobuf_wire
from lib import scenario as scenarios
from lib import yaml_subset

UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
SERVICE_ADDRESS = re.compile(r"\b10\.0\.0\.\d{1,3}\b")  # of the range that both servers are started with
HOST_AND_PORT = re.compile(r"\b\d{1,3}(\.\d{1,3}){3}:\d{4,5}\b")
GENERATE_NAME = re.compile(r'generateName"[:,] ?"([^"]+)"')
CELL_PORT = re.compile(r":(3\d{4})/")
AGE = re.compile(r"(\d+(ms|[smhdy]))+")
REVISION_IN_TEXT = re.compile(
    r"""((?:resource ?version\\*"?|ResourceVersion in (?:precondition|object meta)|current):[ \\"]*"""
    r"""|ResourceVersion in (?:the precondition|record) \()\d+""", re.I)
REVISION_PAIR = re.compile(r"(too old resource version: )\d+ \(\d+\)")
SELF_TYPE = re.compile(r"\bselfType\d+")  # what rules of custom resources are about, by the second it was compiled in
SIGNED_TOKEN = re.compile(r"\beyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+")
DIGITS = re.compile(r"\d+")
NODE_PORTS = range(30000, 33000)  # a dry run gets numbers past the end of the real range
DAY = 86400

# Lists in an order that depends on the second of a write, or on chance.
UNORDERED = {
    "managedFields": lambda one: [one.get(key, "") for key in ("operation", "manager", "subresource", "apiVersion")],
    "resourceRules": str,
    "nonResourceRules": str,
}


def claims_of(token):
    """A signed token as what it says: its times become the seconds after it was issued."""
    claims = json.loads(base64.urlsafe_b64decode(token[1] + "=" * (-len(token[1]) % 4)))
    issued = claims.pop("iat", 0)
    for times in (claims, claims.get("kubernetes.io", {})):
        for name in ("exp", "nbf", "warnafter"):
            if name in times:
                times[name] -= issued
    return f"<token {json.dumps(claims, sort_keys=True)}>"


class Normalizer:
    """For the answers of one scenario on one server, in their order."""

    def __init__(self, scenario):
        self._sent = json.dumps(scenario.bodies) + "".join(
            f"{step.path}\n{step.body or ''}\n{json.dumps(step.edits)}\n" for step in scenario.steps)
        self._revisions = {}  # uid -> revision when last seen
        self._uids = {}       # (namespace, name) -> uid when last seen
        # A generated name has up to 58 characters of its prefix, and five of its own.
        prefixes = "|".join(re.escape(scenarios.substitute(prefix, {})[:58])
                            for prefix in GENERATE_NAME.findall(self._sent))
        self._generated = re.compile(f"({prefixes})[bcdfghjklmnpqrstvwxz2456789]{{5}}\\b") if prefixes else None
        self._now = time.time()
        self._days = {time.strftime("%Y-%m-%d", time.gmtime(self._now + DAY * offset)) for offset in (-1, 0, 1)}

    def answer(self, answer):
        """A JSON value: code, headers, and the body by its kind."""
        out = {"code": answer.status, "headers": self._headers(answer.headers)}
        if answer.events is not None:
            out["events"] = [self._event(line) for line in answer.events]
        elif answer.body:
            kind, body = self._parse(answer)
            out[kind] = self._wire(body) if kind == "protobuf" else self._value(body)
        return out

    def _event(self, line):
        try:
            return self._value(json.loads(line))
        except ValueError:
            return {"text": line.decode(errors="backslashreplace")}

    def _headers(self, headers):
        out = {}
        for name in ("Content-Type", "Retry-After", "Location"):
            if name in headers:
                out[name] = headers[name]
        if warnings := headers.get_all("Warning"):
            out["Warning"] = [self._text(warning) for warning in warnings]
        for name in ("ETag", "Audit-Id"):
            if name in headers:
                out[name] = "present"
        return out

    @staticmethod
    def _parse(answer):
        media_type = answer.headers.get("Content-Type", "").partition(";")[0]
        try:
            if media_type == "application/json":
                return "json", json.loads(answer.body)
            if media_type == "application/yaml":
                return "yaml", yaml_subset.parse(answer.body.decode())
            if media_type == "application/vnd.kubernetes.protobuf":
                return "protobuf", protobuf_wire.decode_envelope(answer.body)
        except (ValueError, yaml_subset.YamlError, protobuf_wire.WireError):
            pass  # compared as the text it is
        return "text", answer.body.decode(errors="backslashreplace")

    # --- JSON and YAML ---

    def _value(self, value):
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("metadata"), dict):
            value = {**value, "metadata": self._metadata(value["metadata"])}
        if value.get("kind") == "Status" and isinstance(value.get("message"), str):
            value = sorted_conflicts(without_repeated_causes(value))
        if isinstance(value.get("cells"), list):
            value = {**value, "cells": [self._cell(cell) for cell in value["cells"]]}
        out = {}
        for key, item in value.items():
            if key in ("nodePort", "healthCheckNodePort") and self._is_allocated_port(item):
                item = "<port>"
            elif key == "columnDefinitions" and isinstance(item, list):
                # Documentation, of which only the presence is compared and stored.
                item = [{**column, "description": "<text>"} if "description" in column else column for column in item]
            elif key in UNORDERED and isinstance(item, list):
                item = sorted(item, key=UNORDERED[key])
            out[self._text(key)] = self._value(item)
        return out

    def _metadata(self, metadata):
        metadata = dict(metadata)
        if "uid" in metadata:
            metadata["uid"], metadata["resourceVersion"] = self._identity(
                metadata["uid"], metadata.get("resourceVersion"), (metadata.get("namespace"), metadata.get("name")))
            if metadata["resourceVersion"] is None:
                del metadata["resourceVersion"]
        elif DIGITS.fullmatch(str(metadata.get("resourceVersion", ""))):
            metadata["resourceVersion"] = "<revision>"
        if metadata.get("continue"):
            metadata["continue"] = "<continue>"
        return metadata

    def _identity(self, uid, revision, key):
        known_uid, self._uids[key] = self._uids.get(key), uid
        uid_text = "<uid>" if known_uid in (None, uid) else "<uid of another object>"
        if not revision or not DIGITS.fullmatch(revision):
            return uid_text, revision
        before, self._revisions[uid] = self._revisions.get(uid), int(revision)
        if before is None:
            order = "first"
        else:
            order = "same" if before == int(revision) else "newer" if before < int(revision) else "older"
        return uid_text, f"<revision: {order}>"

    def _is_allocated_port(self, value):
        return isinstance(value, int) and value in NODE_PORTS and str(value) not in self._sent

    def _cell(self, cell):
        if not isinstance(cell, str):
            return cell
        if AGE.fullmatch(cell):
            return "<age>"
        return CELL_PORT.sub(lambda m: m[0] if m[1] in self._sent else ":<port>/", cell)

    def _text(self, text):
        text = SIGNED_TOKEN.sub(claims_of, text)
        if self._generated:
            text = self._generated.sub(r"\1<generated>", text)
        text = UID.sub("<uid>", text)
        text = SELF_TYPE.sub("selfType", text)
        text = TIME.sub(self._time, text)
        text = SERVICE_ADDRESS.sub(lambda m: m[0] if m[0] in self._sent else "<address>", text)
        text = HOST_AND_PORT.sub(lambda m: m[0] if m[0] in self._sent else "<host and port>", text)
        text = REVISION_PAIR.sub(r"\1<revision> (<revision>)", text)
        return REVISION_IN_TEXT.sub(r"\1<revision>", text)

    def _time(self, match):
        if match[1] not in self._days or match[0] in self._sent:
            return match[0]
        return f"<time, {len(match[2]) - 1} digits>" if match[2] else "<time>"

    # --- protobuf, as protobuf_wire reads it ---

    def _wire(self, envelope):
        raw = envelope["raw"]
        metadata = raw.get("1", [None])[0]
        if isinstance(metadata, dict) and "5" not in metadata:  # ListMeta: revision 2, continue 3
            if DIGITS.fullmatch(str(metadata.get("2", [""])[0])):
                metadata["2"] = ["<revision>"]
            if metadata.get("3", [""])[0]:
                metadata["3"] = ["<continue>"]
        return {**envelope, "raw": self._wire_value(raw)}

    def _wire_value(self, value):
        if isinstance(value, list):
            return [self._wire_value(item) for item in value]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            if abs(value - self._now) < DAY:
                return "<time>"
            return "<port>" if self._is_allocated_port(value) else value
        if self._is_object_meta(value):
            name = value["1"][0]
            uid, revision = self._identity(value["5"][0], value["6"][0], (value["3"][0] or None, name))
            value = {**value, "5": [uid], "6": [revision]}
            if "17" in value:  # managedFields
                value["17"] = sorted(value["17"], key=lambda entry: [entry.get(number, [""])[0] for number in "21"])
        out = {number: self._wire_value(items) for number, items in value.items()}
        if out.get("1") == ["<time>"] and set(out) == {"1", "2"}:
            out["2"] = ["<nanoseconds>"]
        return out

    @staticmethod
    def _is_object_meta(value):
        """name 1, generateName 2, namespace 3, uid 5, resourceVersion 6"""
        texts = [value.get(number, [None])[0] for number in "1356"]
        return all(isinstance(text, str) for text in texts) and UID.fullmatch(texts[2]) is not None


def without_repeated_causes(status):
    """An invalid object's Status with each cause once: validation that runs several times repeats them."""
    causes = (status.get("details") or {}).get("causes") or []
    once = [cause for i, cause in enumerate(causes) if cause not in causes[:i]]
    texts = [f"{cause.get('field')}: {cause.get('message')}" for cause in causes]
    if len(once) == len(causes):
        return status
    unique = list(dict.fromkeys(texts))
    tail = f"[{', '.join(texts)}]"
    once_tail = f"[{', '.join(unique)}]" if len(unique) > 1 else unique[0]
    message = status["message"]
    if message.endswith(tail):
        message = message.removesuffix(tail) + once_tail
    elif not message.endswith(once_tail):  # upstream's message says everything once already
        return status
    return {**status, "message": message, "details": {**status["details"], "causes": once}}


def sorted_conflicts(status):
    """Upstream lists the managers that an apply conflicts with in any order."""
    causes = (status.get("details") or {}).get("causes") or []
    if not all(cause.get("reason") == "FieldManagerConflict" for cause in causes):
        return status
    ordered = sorted(causes, key=lambda cause: (cause.get("message", ""), cause.get("field", "")))
    return {**status, "details": {**status["details"], "causes": ordered}} if causes else status


def normalize(scenario, answers):
    normalizer = Normalizer(scenario)
    return [normalizer.answer(answer) for answer in answers]
