#!/usr/bin/env python3
"""Who a request is from, on both servers: the same provider, webhook, authorities and keys, the same requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/authentication.py [--build DIR]

Prints each answer that differs, and ends with 1 if one does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile
import time

from lib import asking, servers
import identity  # tests/integration, which lib.servers has made known

ACCOUNT = "kubernetes.io/serviceaccount/"


class Identities:
    """What both servers are configured with."""

    def __init__(self, folder):
        self.authority, self.proxies = identity.Authority("login-ca"), identity.Authority("proxy-ca")
        self.provider, self.webhook = identity.Provider(self.authority), identity.TokenWebhook(self.authority)
        self.webhook.users["hook-token"] = {"username": "hooked", "uid": "1", "groups": ["dev"],
                                            "extra": {"a.com/b": ["c"]}}
        self.key = identity.SigningKey("")
        config = folder / "authentication.json"
        config.write_text(json.dumps({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": [{
                "issuer": {"url": self.provider.url, "audiences": ["k8s", "other"],
                           "audienceMatchPolicy": "MatchAny",
                           "certificateAuthority": self.authority.certificate.read_text()},
                "claimMappings": {
                    "username": {"expression": "'login:' + claims.sub"}, "uid": {"claim": "sub"},
                    "groups": {"claim": "groups", "prefix": "g:"},
                    "extra": [{"key": "acme.com/unit", "valueExpression": "claims.?unit.orValue('')"}]},
                "claimValidationRules": [{"expression": "claims.?level.orValue(0) < 3", "message": "too high"}],
                "userValidationRules": [{"expression": "user.username != 'login:root'", "message": "no root"}]}]}))
        self.flags = (
            f"--authentication-config={config}", "--enable-bootstrap-token-auth",
            f"--authentication-token-webhook-config-file={self.webhook.kubeconfig(folder, self.authority.certificate)}",
            "--authentication-token-webhook-version=v1",
            f"--client-ca-file={self.authority.certificate}",
            f"--requestheader-client-ca-file={self.proxies.certificate}", "--requestheader-allowed-names=front",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", "--requestheader-uid-headers=X-Remote-Uid",
            f"--service-account-key-file={self.key.file}",
            f"--service-account-signing-key-file={self.key.file}")
        self.front = self.proxies.issue("/CN=front")
        self.other = self.proxies.issue("/CN=other")
        self.client = self.authority.issue("/O=dev/O=ops/CN=jane")
        self.nameless = self.authority.issue("/O=dev")
        self.serving = self.authority.issue("/CN=jane", "serverAuth")

    def close(self):
        for part in (self.provider, self.webhook, self.authority, self.proxies):
            part.close()


class Asking(asking.Asking):
    def review(self, token, audiences=None):
        spec = {"token": token, **({"audiences": audiences} if audiences else {})}
        return self.admin("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                          {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec})[1]["status"]

    def until_authenticated(self, token, seconds=30):
        """Waits for a token whose secret was just written: kube-apiserver reads secrets from a cache."""
        deadline = time.monotonic() + seconds
        while not self.review(token).get("authenticated"):
            if time.monotonic() > deadline:
                raise AssertionError(f"a token is not accepted within {seconds} s of its secret's creation")
            time.sleep(0.05)

    def whoami(self, headers=None, certificate=None):
        status, body = self.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers, certificate)
        return (status, body["status"]["userInfo"] if status == 201 else body["message"])


def tokens_of_the_provider(ids):
    now, token = int(time.time()), ids.provider.token
    good = token(groups=["dev"], jti="7", unit="x", level=1)
    return {
        "good": good, "one group": token(groups="dev"), "bad groups": token(groups=[1]),
        "second audience": token(aud=["x", "other"]), "wrong audience": token(aud="x"),
        "expired": token(exp=now - 3600), "no expiry": token(exp=None), "early": token(nbf=now + 3600),
        "no subject": token(sub=None), "level": token(level=3), "root": token(sub="root"),
        "no algorithm": token(header={"alg": "none"}), "hmac": token(header={"alg": "HS256", "kid": "k1"}),
        "unknown key": token(header={"alg": "RS256", "kid": "k9"}),
        "forged": token(identity.SigningKey("k1")), "cut": good[:-4], "trailing": good + ".x",
        "another issuer": token(iss="https://them.example"), "opaque": "opaque", "dots": "a.b.c",
    }


def answers(port, ids, provider_tokens):
    """Name -> answer of one server."""
    client, found = Asking(port), {}
    for name, token in provider_tokens.items():
        found["oidc " + name] = client.review(token)
    found["oidc another audience"] = client.review(provider_tokens["good"], ["vault"])
    found["webhook"] = client.review("hook-token")
    found["webhook audience"] = client.review("hook-token", ["vault"])
    found["static"] = client.review(servers.TOKEN)

    data = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true",
            "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a"}
    client.admin("POST", "/api/v1/namespaces/kube-system/secrets", {
        "metadata": {"name": "bootstrap-token-abcdef"}, "type": "bootstrap.kubernetes.io/token", "stringData": data})
    asking.until_authenticated("abcdef.0123456789abcdef")
    for token in ("abcdef.0123456789abcdef", "abcdef.0123456789abcdee", "zzzzzz.0123456789abcdef"):
        found["bootstrap " + token] = client.review(token)

    account = client.admin("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "robot"}})[1]
    uid = account["metadata"]["uid"]
    claims = {"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:robot",
              ACCOUNT + "namespace": "default", ACCOUNT + "secret.name": "t",
              ACCOUNT + "service-account.name": "robot", ACCOUNT + "service-account.uid": uid}
    legacy = ids.key.token(claims, {"alg": "RS256"})
    client.admin("POST", "/api/v1/namespaces/default/secrets", {
        "metadata": {"name": "t", "annotations": {"kubernetes.io/service-account.name": "robot"}},
        "type": "kubernetes.io/service-account-token", "stringData": {"token": legacy}})
    asking.until_authenticated(legacy)
    for name, token in {
            "good": legacy, "audience": ids.key.token({**claims, "aud": "x"}, {"alg": "RS256"}),
            "no secret": ids.key.token({**claims, ACCOUNT + "secret.name": "u"}, {"alg": "RS256"}),
            "not the secret's": ids.key.token({**claims, "x": 1}, {"alg": "RS256"}),
            "no namespace": ids.key.token({**claims, ACCOUNT + "namespace": ""}, {"alg": "RS256"}),
            "subject": ids.key.token({**claims, "sub": "system:serviceaccount:default:x"}, {"alg": "RS256"}),
            "forged": identity.SigningKey("").token(claims, {"alg": "RS256"})}.items():
        found["legacy " + name] = client.review(token)

    said = {"X-Remote-User": "ann", "X-Remote-Group": "dev", "X-Remote-Uid": "u", "X-Remote-Extra-A.com%2fB": "c"}
    for name, headers, certificate in (
            ("proxy", said, ids.front), ("other proxy", said, ids.other), ("proxy without a name", {}, ids.front),
            ("proxy with a group only", {"X-Remote-Group": "dev"}, ids.front), ("no proxy", said, ids.client),
            ("nobody", said, None), ("certificate", {}, ids.client), ("nameless", {}, ids.nameless),
            ("server's certificate", {}, ids.serving),
            ("certificate and token", {"Authorization": f"Bearer {servers.TOKEN}"}, ids.client),
            ("bad certificate and token", {"Authorization": f"Bearer {servers.TOKEN}"}, ids.serving),
            ("bad token", {"Authorization": "Bearer x"}, None)):
        found["request " + name] = client.whoami(headers, certificate)

    admin = {"Authorization": f"Bearer {servers.TOKEN}"}
    for headers in ({"Impersonate-User": "jane"}, {"Impersonate-User": "system:serviceaccount:a:b"},
                    {"Impersonate-User": "system:serviceaccount:A:b"}, {"Impersonate-User": "system:node:n1"},
                    {"Impersonate-User": "system:node:N1"}, {"Impersonate-User": "system:anonymous"},
                    {"Impersonate-User": "root", "Impersonate-Group": "system:masters"},
                    {"Impersonate-User": "a", "Impersonate-Group": "system:unauthenticated"},
                    {"Impersonate-User": "a", "Impersonate-Uid": "7", "Impersonate-Extra-B%2fC": "d"},
                    {"Impersonate-Group": "dev"}, {"Impersonate-Uid": "7"}, {"Impersonate-User": ""}):
        found["as " + json.dumps(headers)] = client.whoami({**admin, **headers})
    for headers in ({"Impersonate-User": "jane"}, {"Impersonate-User": "system:node:n1"},
                    {"Impersonate-User": "system:serviceaccount:a:b"}, {"Impersonate-User": "a", "Impersonate-Uid": "1"}):
        found["jane as " + json.dumps(headers)] = client.whoami(headers, ids.client)
    return found


def normalized(answer, ids):
    """Without what differs from run to run."""
    text = json.dumps(answer, sort_keys=True).replace(ids.provider.url, "https://provider")
    text = re.sub(r'"uid": "[0-9a-f]{8}-[0-9a-f-]{27}"', '"uid": "UID"', text)
    return json.loads(re.sub(r"current time [^)]*? before", "current time T before", text))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compat-authn-") as folder:
        ids = Identities(pathlib.Path(folder))
        tokens = tokens_of_the_provider(ids)
        with servers.Upstream(servers.upstream_binary(options.build), ids.flags) as upstream:
            theirs = answers(upstream.port, ids, tokens)
        with servers.Keelson(pathlib.Path(options.build) / "keelson", ids.flags) as keelson:
            ours = answers(keelson.port, ids, tokens)
        ids.close()
        return asking.compare({name: normalized(answer, ids) for name, answer in theirs.items()},
                              {name: normalized(answer, ids) for name, answer in ours.items()})


if __name__ == "__main__":
    sys.exit(main())
