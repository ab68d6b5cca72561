"""Encryption at rest: both servers on one etcd with the same configuration, through a rotation of every key.

Each configuration writes with another provider and still reads all others. Under each, either server writes a
secret that the other reads, changes and lists, and both read what was written under those before.
"""

import base64
import json
import tempfile

import servers
from etcd import Etcd
from kms import Kms

JSON = {"Content-Type": "application/json"}
SECRETS = "/api/v1/namespaces/default/secrets"
PROVIDERS = ("aesgcm", "aescbc", "secretbox", "kms", "identity")


def provider(kind, kms):
    if kind == "identity":
        return {"identity": {}}
    if kind == "kms":
        return kms.provider
    # Two keys: the first writes.
    keys = [{"name": f"{kind}{i}", "secret": base64.b64encode(bytes([i]) * 32).decode()} for i in (1, 2)]
    return {kind: {"keys": keys}}


def prefix_of(kind):
    if kind == "identity":
        return b"k8s\0"
    return f"k8s:enc:{kind}:{'v2' if kind == 'kms' else 'v1'}:{kind}1:".encode()


def configuration(first, kms):
    order = [first, *(kind for kind in PROVIDERS if kind != first)]
    return {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration",
            "resources": [{"resources": ["configmaps"], "providers": [{"identity": {}}]},
                          {"resources": ["secrets", "*.apps"], "providers": [provider(kind, kms) for kind in order]}]}


def ask(server, method, path, codes, body=None):
    client = server.client()
    try:
        answer = client.request(method, path, JSON, json.dumps(body) if body is not None else None)
    finally:
        client.close()
    if answer.status not in codes:
        raise AssertionError(f"{server.name}: {method} {path}: {answer.status} {answer.body[:600]}")
    return json.loads(answer.body)


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def exchange(kind, etcd, writer, reader):
    """One secret, made by the one, changed by the other. Its name."""
    name = f"{kind}-{writer.name}"
    key = f"/registry/secrets/default/{name}"
    prefix = prefix_of(kind)
    made = ask(writer, "POST", SECRETS, (201,), {"metadata": {"name": name}, "stringData": {"word": f"of {name}"}})
    check(etcd.get(key)[0].startswith(prefix), f"{writer.name} stored {etcd.get(key)[0][:40]}")
    check(ask(reader, "GET", f"{SECRETS}/{name}", (200,)) == made, f"{reader.name} reads {name} otherwise")
    made["metadata"]["labels"] = {"changed": "yes"}
    changed = ask(reader, "PUT", f"{SECRETS}/{name}", (200,), made)
    check(etcd.get(key)[0].startswith(prefix), f"{reader.name} stored {etcd.get(key)[0][:40]}")
    check(ask(writer, "GET", f"{SECRETS}/{name}", (200,)) == changed, f"{writer.name} reads {name} otherwise")
    return name


def rewrite(kind, etcd, server, name):
    """An update that changes nothing brings an old value to the key of today."""
    now = ask(server, "GET", f"{SECRETS}/{name}", (200,))
    ask(server, "PUT", f"{SECRETS}/{name}", (200,), now)
    value = etcd.get(f"/registry/secrets/default/{name}")[0]
    prefix = prefix_of(kind)
    check(value.startswith(prefix), f"{server.name} left {name} as {value[:40]}")


def rotate(etcd, kms, keelson_binary, upstream_binary, details):
    names = []
    for kind in PROVIDERS:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(configuration(kind, kms), file)
            file.flush()
            flag = f"--encryption-provider-config={file.name}"
            log = details / f"kube-apiserver-{kind}.log"
            with servers.Upstream(etcd, upstream_binary, log, flag) as upstream, \
                    servers.Keelson(etcd, keelson_binary, flag) as keelson:
                for server in (keelson, upstream):
                    listed = [item["metadata"]["name"] for item in ask(server, "GET", SECRETS, (200,))["items"]]
                    check(set(names) <= set(listed), f"{server.name} lists {listed}, not {names}")
                for server, name in zip((keelson, upstream), names[-2:]):
                    rewrite(kind, etcd, server, name)
                names += [exchange(kind, etcd, *pair) for pair in ((keelson, upstream), (upstream, keelson))]
                ask(keelson, "POST", "/api/v1/namespaces/default/configmaps", (201,), {"metadata": {"name": kind}})
                plain = etcd.get(f"/registry/configmaps/default/{kind}")[0]
                check(plain.startswith(b"k8s\0"), f"a config map is stored as {plain[:40]}")
        print(f"encryption at rest: {kind}: ok")


def run(keelson_binary, upstream_binary, details):
    """0 when all is well."""
    try:
        servers.harness.BINARY = str(keelson_binary)
        with Etcd() as etcd, Kms() as kms:
            rotate(etcd, kms, keelson_binary, upstream_binary, details)
    except AssertionError as error:
        print(f"encryption at rest: {error}")
        return 1
    return 0
