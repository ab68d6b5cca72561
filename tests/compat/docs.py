#!/usr/bin/env python3
"""Writes the list of allowed differences into docs/compatibility.md, between its two markers."""

import pathlib
import sys

from lib import patterns

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "compatibility.md"
START, END = "<!-- allowed differences: start -->", "<!-- allowed differences: end -->"


def section():
    rows = [f"| `{entry.cases}` | `{entry.place}` | {entry.reason} |" for entry in patterns.load(HERE / "allowed.txt")]
    return "\n".join(["| cases | place in the answer | why |", "|---|---|---|", *rows])


def updated(text):
    """The page with the list as it is now."""
    before, rest = text.split(START, 1)
    return f"{before}{START}\n{section()}\n{END}{rest.split(END, 1)[1]}"


def main():
    PAGE.write_text(updated(PAGE.read_text()))


if __name__ == "__main__":
    sys.exit(main())
