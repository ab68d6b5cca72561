"""Finds where two normalised answers differ."""

import json

from lib import scenario

ABSENT = object()


class Difference:
    """One place: `where` is code, headers/<name>, or a path into the body such as json/spec/replicas."""

    def __init__(self, where, expected, actual):
        self.where, self.expected, self.actual = where, expected, actual

    def __repr__(self):
        return f"{self.where}: {show(self.expected)} became {show(self.actual)}"


def show(value):
    return "(absent)" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def compare(expected, actual):
    """The differences between upstream's answer and another; none when they are equal.

    When the code differs so does everything else; one difference says it all, and the report
    shows both bodies.
    """
    if expected["code"] != actual["code"]:
        return [Difference("code", expected["code"], actual["code"])]
    return differences(expected, actual)


def differences(expected, actual):
    """All places where two JSON values differ."""
    found = []
    _walk("", expected, actual, found)
    return found


def _walk(where, expected, actual, found):
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            inner = f"{where}/{scenario.escape(key)}" if where else scenario.escape(key)
            _walk(inner, expected.get(key, ABSENT), actual.get(key, ABSENT), found)
    elif isinstance(expected, list) and isinstance(actual, list):
        for i in range(max(len(expected), len(actual))):
            _walk(f"{where}/{i}", expected[i] if i < len(expected) else ABSENT,
                  actual[i] if i < len(actual) else ABSENT, found)
    elif type(expected) is not type(actual) or expected != actual:
        found.append(Difference(where, expected, actual))
