#!/usr/bin/env python3
"""What flow control adds to a request: GET and create by an ordinary user, with and without it.

    flow_control.py BINARY [--rounds 40]

Two servers with the same objects take short turns, as in authorization.py. The user's requests are in the level
global-default, with queues. Measure on a machine that does nothing else; the goal is 3 %.
"""

import argparse
import os
import pathlib

import authorization

MODES = {"off": "--enable-priority-and-fairness=false", "on": "--enable-priority-and-fairness=true"}
GOAL = 1.03


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    os.environ["KEELSON_BINARY"] = str(pathlib.Path(args.binary).resolve())
    authorization.compare(MODES, rounds=args.rounds, bindings=0, goal=GOAL)


if __name__ == "__main__":
    main()
