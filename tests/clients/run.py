#!/usr/bin/env python3
"""Generates clients from the OpenAPI documents of a server, compiles all that was generated, and uses them on the server.

    run.py --build DIR [--server keelson|upstream|both]

openapi-generator makes a Go client of /openapi/v2, with everything that is served, a custom resource included. go/use.go
creates, reads, lists, changes and deletes objects with it. With --server both the same is done with kube-apiserver, and must come to the
same: the files, the code in them without comments, the generator's warnings, what the program saw.

Needs Java, Maven (which fetches the generator) and Go. Everything is made in DIR/clients.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "envtest"))
import servers  # noqa: E402

GENERATOR = ("org.openapitools:openapi-generator-cli", "7.14.0",
             "e03186835022ca02da4aa95e3967b6a3b6d44c2e5f7606e6d5c22466f519c757")
WITHOUT_EXTRAS = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
# What is served besides the built-in kinds: an enumeration, a default, bounds, a list of objects, a status.
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {"group": "example.com", "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
             "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                           "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                               "spec": {"type": "object", "required": ["size"], "properties": {
                                   "size": {"type": "integer", "format": "int32", "minimum": 1},
                                   "colour": {"type": "string", "enum": ["red", "blue"]},
                                   "finish": {"type": "string", "default": "matt"},
                                   "parts": {"type": "array", "items": {
                                       "type": "object", "required": ["name"], "properties": {
                                           "name": {"type": "string"},
                                           "count": {"type": "integer", "format": "int64"}}}}}},
                               "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]}}
WIDGETS_VERSION = "apis/example.com/v1"
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.S)
WARNING = re.compile(r"\bWARN +(.*)")


class Made:
    """What came of the documents of one server, for comparison."""

    def __init__(self):
        self.files = {}  # name to code without comments
        self.warnings = set()  # how often one is told depends on the generator's clock
        self.seen = {}  # by program: what it printed

    def add_client(self, name, folder):
        for file in sorted(folder.rglob("*.go")):
            code = COMMENT.sub("", file.read_text())
            self.files[f"{name}/{file.relative_to(folder)}"] = "\n".join(
                line.rstrip() for line in code.splitlines() if line.strip())


def run(*command, folder, env=None):
    """The output of a program, both its streams. Ends this program if it fails."""
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **(env or {})}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError:
        raise SystemExit(f"error: {command[0]} is not installed") from None
    if done.returncode:
        raise SystemExit(f"error: {' '.join(map(str, command))} in {folder}:\n{done.stdout[-4000:]}")
    return done.stdout


def fetch_generator(folder):
    """The generator's archive, which is the one whose checksum is known."""
    artifact, version, checksum = GENERATOR
    jar = folder / f"{artifact.partition(':')[2]}-{version}.jar"
    if not jar.exists():
        run("mvn", "-q", "dependency:copy", f"-Dartifact={artifact}:{version}", f"-DoutputDirectory={folder}", folder=folder)
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    if found != checksum:
        raise SystemExit(f"error: {jar.name} has the checksum {found}, expected was {checksum}")
    return jar


def fetch_document(server, folder):
    """The file of /openapi/v2 of a server with a custom resource."""
    client = servers.Client(server)
    code, answer = client.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)
    if code != 201:
        raise SystemExit(f"error: the definition was refused: {answer}")
    servers.cluster.wait_until(lambda: f"/{WIDGETS_VERSION}/widgets" in client.do("GET", "/openapi/v2")[1]["paths"],
                               "the definition is in v2")
    document = folder / "v2.json"
    document.write_text(json.dumps(client.do("GET", "/openapi/v2")[1]))
    return document


def generate(jar, language, document, out, made, *options):
    said = run("java", "-Xmx2g", "-jar", jar, "generate", "-i", document, "-g", language, "-o", out,
               f"--global-property={WITHOUT_EXTRAS}", *options, folder=document.parent)
    made.warnings.update(WARNING.findall(said))
    made.add_client(out.name, out)


def use_go(jar, document, folder, server, made):
    """One package of the program's module, the whole of it compiled."""
    (folder / "use").mkdir(parents=True)
    generate(jar, "go", document, folder / "v2", made, "--additional-properties=packageName=client")
    (folder / "v2" / "go.mod").unlink()
    (folder / "v2" / "go.sum").unlink(missing_ok=True)
    shutil.rmtree(folder / "v2" / "test", ignore_errors=True)
    (folder / "go.mod").write_text("module clients\n\ngo 1.21\n")
    shutil.copy(HERE / "go" / "use.go", folder / "use")
    run("go", "build", "./v2", folder=folder, env={"GOWORK": "off"})
    run("go", "build", "-o", folder / "program", "./use", folder=folder, env={"GOWORK": "off"})
    made.seen["go"] = run(folder / "program", server.url, server.token, folder=folder)


def try_clients(which, build, jar):
    folder = build / "clients" / which
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = Made()
    server = servers.start(which, build, folder / "server")
    try:
        use_go(jar, fetch_document(server, folder), folder / "go", server, made)
    finally:
        server.stop()
    for language, text in made.seen.items():
        (folder / f"{language}.txt").write_text(text)
        print(f"{which}: {language}: {len(text.splitlines())} lines seen, see {folder / language}.txt", flush=True)
    print(f"{which}: {len(made.files)} files generated, {len(made.warnings)} kinds of warnings", flush=True)
    return made


def differences(expected, got):
    """What came out otherwise on Keelson, as lines."""
    for name in sorted(expected.files.keys() | got.files.keys()):
        if name not in got.files or name not in expected.files:
            yield f"{name}: only {'kube-apiserver' if name in expected.files else 'Keelson'} has it"
        elif expected.files[name] != got.files[name]:
            lines = zip(expected.files[name].splitlines(), got.files[name].splitlines())
            first = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
            yield f"{name}: {first[0].strip()!r} is {first[1].strip()!r}"
    for warning in sorted(expected.warnings ^ got.warnings):
        yield f"warning {'missing' if warning in expected.warnings else 'added'}: {warning}"
    for language, text in expected.seen.items():
        if text != got.seen[language]:
            yield f"{language}: the programs saw different things, see {language}.txt of both"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--server", choices=("keelson", "upstream", "both"), default="keelson")
    args = parser.parse_args()
    build = args.build.resolve()
    (build / "clients").mkdir(parents=True, exist_ok=True)
    jar = fetch_generator(build / "clients")
    wanted = ("upstream", "keelson") if args.server == "both" else (args.server,)
    made = {which: try_clients(which, build, jar) for which in wanted}
    problems = list(differences(made["upstream"], made["keelson"])) if args.server == "both" else []
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if args.server == "both":
        print(f"{len(made['keelson'].files)} files compared, {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
