"""Reads YAML as both servers write it: block mappings and lists, quoted and plain scalars, literals."""

import json
import re

KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"-][^#]*?|-[^\s][^#]*?|[.\w][^#]*?):(?:\s+(.*))?$""")
INTEGER = re.compile(r"[-+]?(0|[1-9]\d*)")
FLOAT = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")


class YamlError(Exception):
    pass


def parse(text):
    lines = text.rstrip("\n").split("\n")
    reader = _Reader(lines)
    value = reader.node(0)
    if reader.at < len(lines):
        raise YamlError(f"line {reader.at + 1}: {lines[reader.at]!r}")
    return value


class _Reader:
    def __init__(self, lines):
        self.lines, self.at = lines, 0

    def _indent(self):
        if self.at >= len(self.lines):
            return -1
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def node(self, indent):
        """The block that starts here, at exactly `indent`."""
        rest = self.lines[self.at][indent:]
        if rest == "-" or rest.startswith("- "):
            return self._list(indent)
        if KEY.match(rest):
            return self._mapping(indent)
        self.at += 1
        return self._scalar(rest, indent)

    def _list(self, indent):
        items = []
        while self._indent() == indent and re.match(r"-( |$)", self.lines[self.at][indent:]):
            # "- " is two more columns of indentation for what follows on the line.
            line = self.lines[self.at]
            self.lines[self.at] = line[:indent] + " " + line[indent + 1:]
            if not self.lines[self.at].strip():
                self.at += 1
                items.append(self.node(self._indent()) if self._indent() > indent else None)
            else:
                items.append(self.node(indent + 2))
        return items

    def _mapping(self, indent):
        out = {}
        while self._indent() == indent:
            match = KEY.match(self.lines[self.at][indent:])
            if not match:
                raise YamlError(f"line {self.at + 1}: no key: {self.lines[self.at]!r}")
            self.at += 1
            key, rest = str(self._scalar(match[1], indent, plain_is_text=True)), match[2]
            if rest:
                out[key] = self._scalar(rest, indent)
            elif self._indent() > indent:
                out[key] = self.node(self._indent())
            elif self._indent() == indent and re.match(r"-( |$)", self.lines[self.at][indent:]):
                out[key] = self._list(indent)
            else:
                out[key] = None
        return out

    def _scalar(self, text, indent, plain_is_text=False):
        if text[0] in "|>":
            return self._literal(text, indent)
        if text[0] in "\"'":
            # A long quoted scalar goes on over more lines, folded.
            while not self._closed(text):
                if self.at >= len(self.lines):
                    raise YamlError("quote not closed")
                text += " " + self.lines[self.at].strip()
                self.at += 1
            if text[0] == "'":
                return text[1:-1].replace("''", "'")
            return json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text), strict=False)
        while not plain_is_text and self._indent() > indent:
            text += " " + self.lines[self.at].strip()  # a folded plain scalar
            self.at += 1
        if plain_is_text:
            return text
        return {"{}": {}, "[]": [], "null": None, "true": True, "false": False}.get(text, self._number(text))

    @staticmethod
    def _closed(text):
        if text[0] == "'":
            return len(text) > 1 and re.fullmatch(r"'([^']|'')*'", text)
        return re.fullmatch(r'"([^"\\]|\\.)*"', text)

    @staticmethod
    def _number(text):
        if INTEGER.fullmatch(text):
            return int(text)
        return float(text) if FLOAT.fullmatch(text) else text

    def _literal(self, head, indent):
        lines, inner = [], None
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip():
                if inner is None:
                    inner = self._indent()
                if self._indent() < inner or inner <= indent:
                    break
            lines.append(line[inner or 0:])
            self.at += 1
        text = ("\n" if head[0] == "|" else " ").join(lines)
        return text.rstrip("\n") if "-" in head else text.rstrip("\n") + "\n"
