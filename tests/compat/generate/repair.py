"""Leaves out of an object what upstream refuses, until it is accepted."""

import json
import re
import sys

ROUNDS = 25


def accept(client, method, path, body, what):
    """`body` without the refused fields, or None when it cannot be made acceptable. Writes nothing."""
    separator = "&" if "?" in path else "?"
    for _ in range(ROUNDS):
        answer = client.request(method, f"{path}{separator}dryRun=All", {"Content-Type": "application/json"},
                                json.dumps(body))
        if answer.status < 300:
            return body
        status = json.loads(answer.body)
        causes = (status.get("details") or {}).get("causes") or []
        removed = [remove(body, cause["field"]) for cause in reversed(causes) if cause.get("field")]
        for cause in causes:
            print(f"{what}: left out {cause.get('field')}: {cause.get('message')}", file=sys.stderr)
        if not any(removed):
            print(f"{what}: not accepted: {status.get('message')}", file=sys.stderr)
            return None
    print(f"{what}: not accepted after {ROUNDS} rounds", file=sys.stderr)
    return None


def parts(field):
    """spec.a[0].b[key.with/dots] -> spec, a, 0, b, key.with/dots"""
    return [name or index for name, index in re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", field)]


def remove(body, field):
    """Removes what the field path names, or the nearest thing above it that is there; False at the top."""
    names = parts(field)
    while len(names) > 1:
        value = body
        try:
            for name in names[:-1]:
                value = value[int(name)] if isinstance(value, list) else value[name]
            del value[int(names[-1]) if isinstance(value, list) else names[-1]]
            return True
        except (KeyError, IndexError, ValueError, TypeError):
            names.pop()
    if len(names) == 1 and names[0] in body and names[0] not in ("spec", "metadata", "status"):
        del body[names[0]]
        return True
    return False
