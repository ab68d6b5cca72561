#!/usr/bin/env python3
"""Installs the CustomResourceDefinitions of real projects, and compares what two servers make of them.

    definitions.py --build DIR [--server keelson|upstream|both] [--only REGEX]

The projects are the Go modules that definitions.txt names; their definitions are sent as they are. Each must be
established, but for those that refused_definitions.txt names, which no server takes. With --server both (needs Go and
upstream's programs, which are built) kube-apiserver gets the same, and for each definition both must say the same: the
same object, defaults and conditions included, or the same refusal. --only chooses modules. What a server said is in
DIR/definitions/SERVER.json. A module that cannot be had, or has no definitions where they are expected, is an error that
is told in the end: the others are tried without it.
"""

import argparse
import json
import pathlib
import re
import sys
import time

import modules
import servers

HERE = pathlib.Path(__file__).resolve().parent

PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED_SECONDS = 120
KIND = re.compile(r"^kind: *['\"]?CustomResourceDefinition['\"]?\s*$", re.M)
NAME = re.compile(r"^  name: *['\"]?([a-z0-9.-]+)['\"]?\s*$", re.M)


def definitions_of(folder):
    """{name: manifest} of the YAML files right in `folder`."""
    found = {}
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".yaml", ".yml"):
            continue
        for document in re.split(r"^---.*$", file.read_text(errors="replace"), flags=re.M):
            # Those of kustomize's patches have no schema; those of Helm are no YAML yet.
            if KIND.search(document) and "openAPIV3Schema" in document and "{{" not in document:
                name = NAME.search(document)
                if name:
                    found.setdefault(name.group(1), document)
    return found


def collect(only):
    """({name: manifest}, how many projects they are from, sentences about the modules that gave none); of several
    definitions of a name the first counts."""
    definitions, projects, missing = {}, 0, []
    for _, module, folders in modules.read_list(HERE / "definitions.txt"):
        if not re.search(only, module.name):
            continue
        before = len(definitions)
        try:
            root = module.download()
            for folder in folders:
                for name, manifest in definitions_of(root / folder).items():
                    definitions.setdefault(name, manifest)
        except modules.Unavailable as error:
            missing.append(str(error).removeprefix("error: "))
            continue
        if len(definitions) == before:
            missing.append(f"{module} has no definitions of its own in {', '.join(folders)}")
        else:
            projects += 1
    return definitions, projects, missing


def conditions(definition):
    return {c["type"]: c["status"] for c in (definition.get("status") or {}).get("conditions") or []}


def is_settled(states):
    return states.get("Established") == "True" or states.get("NamesAccepted") == "False"


def comparable(definition):
    """A definition without what differs from server to server and from time to time."""
    for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        definition["metadata"].pop(field, None)
    status = definition.get("status") or {}
    status["conditions"] = sorted((c for c in status.get("conditions") or []), key=lambda c: c["type"])
    for condition in status["conditions"]:
        condition.pop("lastTransitionTime", None)
    return {key: definition.get(key) for key in ("metadata", "spec", "status")}


def install(client, definitions):
    """{name: what the server said of it}: {"refused": [code, message]} or the definition as it is served."""
    said, created = {}, set()
    for name, manifest in definitions.items():
        code, answer = client.do("POST", PATH, manifest)
        if code == 201:
            created.add(name)
        else:
            said[name] = {"refused": [code, answer["message"]]}
    deadline = time.monotonic() + ESTABLISHED_SECONDS
    while True:
        items = {item["metadata"]["name"]: item for item in client.do("GET", PATH)[1]["items"]}
        waiting = [name for name in created if not is_settled(conditions(items[name]))]
        if not waiting or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    for name in created:
        said[name] = comparable(items[name])
    return said


def run(which, build, definitions):
    server = servers.start(which, build, build / "definitions" / which)
    try:
        began = time.monotonic()
        said = install(servers.Client(server), definitions)
        seconds = time.monotonic() - began
    finally:
        server.stop()
    (build / "definitions" / f"{which}.json").write_text(json.dumps(said, indent=1, sort_keys=True))
    established = sum(conditions(answer).get("Established") == "True" for answer in said.values())
    refused = sum("refused" in answer for answer in said.values())
    print(f"{which}: {established} established, {refused} refused, {len(said) - established - refused} neither, "
          f"{seconds:.1f} s", flush=True)
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream", "both"), default="keelson")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    build = args.build.resolve()
    definitions, projects, missing = collect(args.only)
    print(f"{len(definitions)} definitions of {projects} projects", flush=True)
    wanted = ("keelson", "upstream") if args.server == "both" else (args.server,)
    said = {which: run(which, build, definitions) for which in wanted}

    refused = set(re.findall(r"^[^#\s]+", (HERE / "refused_definitions.txt").read_text(), re.M))
    problems = missing
    for which, answers in said.items():
        for name, answer in answers.items():
            established = conditions(answer).get("Established") == "True"
            if established == (name in refused):
                problems.append(f"{which}: {name}: {str(answer.get('refused') or conditions(answer))[:400]}")
    if args.server == "both":
        problems += [f"{name}: the servers differ, see {build}/definitions/*.json"
                     for name in definitions if said["keelson"][name] != said["upstream"][name]]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
