#!/usr/bin/env python3
"""Who a request is from, on both servers: the same provider, webhook, authorities and keys, the same requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/authentication.py [--build DIR]

Prints each answer that differs, and ends with 1 if one does. kube-apiserver needs an etcd in $PATH.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import tempfile
import time

from lib import asking as compared
from lib import credentials, servers
import identity  # tests/integration, which lib.servers has made known

ACCOUNT = credentials.ACCOUNT
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")  # that a server has made
# Tokens that no issuer would write. Keelson takes each for no token at all, upstream tells what its JSON and base64
# readers found, in their words.
OTHER_WORDS = ("oidc kid a number", "oidc padded", "oidc header a list", "oidc audience a number", "oidc subject a number",
               "account expiry text", "account audience a number", "account subject a number",
               "account private claims a list")
REFUSED_HERE = ("oidc expiry text",)  # and accepted by upstream, see docs/compatibility.md
LEARNING_SECONDS = 10  # that a server may need until it knows of an object


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
        self.expired_front = self.proxies.issue_between("/CN=front", "20010101000000Z", "20020101000000Z")
        self._stranger, self.certificates = credentials.certificates(self.authority)
        der = identity.openssl("rsa", "-in", self.key.file, "-pubout", "-outform", "DER")
        self.key_id = identity.base64url(hashlib.sha256(der).digest())  # as the servers call it

    def close(self):
        for part in (self.provider, self.webhook, self.authority, self.proxies, self._stranger):
            part.close()


class Asking(compared.Asking):
    def review(self, token, audiences=None):
        spec = {"token": token, **({"audiences": audiences} if audiences else {})}
        return self.admin("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                          {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec})[1]["status"]

    def account(self, name):
        return self.admin("POST", "/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": name}})[1]

    @staticmethod
    def until(review, authenticated):
        """Asks until the answer is as it will be, or that takes too long; None: whatever it is."""
        deadline = time.monotonic() + LEARNING_SECONDS
        while True:
            answer = review()
            if authenticated in (None, answer.get("authenticated", False)) or time.monotonic() > deadline:
                return answer
            time.sleep(0.1)

    def whoami(self, headers=None, certificate=None):
        status, body = self.request("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers, certificate)
        return (status, body["status"]["userInfo"] if status == 201 else body["message"])


def tokens_of_the_provider(ids):
    now, token = int(time.time()), ids.provider.token
    good = token(groups=["dev"], jti="7", unit="x", level=1)
    claims = {"iss": ids.provider.url, "aud": "k8s", "sub": "ann", "exp": now + 300}
    return {
        **credentials.bad_forms(ids.provider.key, claims, {"alg": "RS256", "kid": "k1"}),
        **credentials.bad_times(token), **credentials.bad_claims(token),
        "good": good, "one group": token(groups="dev"), "bad groups": token(groups=[1]),
        "second audience": token(aud=["x", "other"]), "wrong audience": token(aud="x"),
        "expired": token(exp=now - 3600), "no expiry": token(exp=None), "early": token(nbf=now + 3600),
        "no subject": token(sub=None), "level": token(level=3), "root": token(sub="root"),
        "no algorithm": token(header={"alg": "none"}), "hmac": token(header={"alg": "HS256", "kid": "k1"}),
        "unknown key": token(header={"alg": "RS256", "kid": "k9"}),
        "forged": token(identity.SigningKey("k1")), "cut": good[:-4], "trailing": good + ".x",
        "another issuer": token(iss="https://them.example"), "opaque": "opaque", "dots": "a.b.c",
    }


def answers(port, ids):
    """Name -> answer of one server."""
    asking, provider_tokens, found = Asking(port), tokens_of_the_provider(ids), {}
    for part in (of_the_provider, of_the_others, of_accounts, of_revoked, of_legacy_accounts, of_requests,
                 of_impersonation):
        found |= part(asking, ids, provider_tokens)
    return found


def of_the_provider(asking, ids, provider_tokens):
    found = {"oidc " + name: asking.review(token) for name, token in provider_tokens.items()}
    found["oidc another audience"] = asking.review(provider_tokens["good"], ["vault"])
    for name in ("good", "expired", "alg none", "public key as a secret"):
        found[f"request with oidc {name}"] = asking.whoami({"Authorization": f"Bearer {provider_tokens[name]}"})
    return found


def of_the_others(asking, ids, _):
    found = {"webhook": asking.review("hook-token"), "webhook audience": asking.review("hook-token", ["vault"]),
             "static": asking.review(servers.TOKEN), "static audience": asking.review(servers.TOKEN, ["vault"])}
    data = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true",
            "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a"}
    others = {  # id -> what differs
        "expire": {"expiration": "2001-02-03T04:05:06Z"}, "unread": {"expiration": "tomorrow"},
        "future": {"expiration": "2201-02-03T04:05:06Z"}, "unused": {"usage-bootstrap-authentication": "false"},
        "groups": {"auth-extra-groups": "system:masters"}, "nosecr": {"token-secret": ""}, "wrongi": {"token-id": "abcdeg"}}
    tokens = ["abcdef.0123456789abcdef", "abcdef.0123456789abcdee", "zzzzzz.0123456789abcdef", "ABCDEF.0123456789abcdef",
              "abcdef.0123456789abcde", "abcdef"]
    for token_id, changes in {"abcdef": {}, **others}.items():
        asking.admin("POST", "/api/v1/namespaces/kube-system/secrets", {
            "metadata": {"name": f"bootstrap-token-{token_id}"}, "type": "bootstrap.kubernetes.io/token",
            "stringData": {**data, "token-id": token_id, **changes}})
        tokens.append(f"{token_id}.0123456789abcdef")
    asking.admin("POST", "/api/v1/namespaces/kube-system/secrets", {
        "metadata": {"name": "bootstrap-token-opaque"}, "stringData": {**data, "token-id": "opaque"}})
    asking.until(lambda: asking.review("future.0123456789abcdef"), True)  # the last that is good, from a cache
    for token in [*tokens, "opaque.0123456789abcdef"]:
        found["bootstrap " + token] = asking.review(token)
    return found


def of_accounts(asking, ids, _):
    """Tokens that the server could have issued: the tests have its key."""
    account = asking.account("robot")
    claims = credentials.account_claims(account)
    header = {"alg": "RS256", "kid": ids.key_id}
    asking.until(lambda: asking.review(ids.key.token(claims, header)), True)

    def make(**changes):
        return ids.key.token(credentials.changed(claims, **changes), header)

    tokens = {"good": make(), **credentials.bad_forms(ids.key, claims, header), **credentials.bad_times(make),
              **credentials.bad_claims(make)}
    for name, changed in credentials.bad_private_claims(claims).items():
        tokens[name] = ids.key.token(changed, header)
    found = {"account " + name: asking.review(token) for name, token in tokens.items()}
    for name in ("good", "expired", "audience another", "alg none", "unknown kid"):
        found[f"request of account {name}"] = asking.whoami({"Authorization": f"Bearer {tokens[name]}"})
    for audiences in (["vault"], ["vault", credentials.ISSUER], [""]):
        found[f"account reviewed for {audiences}"] = asking.review(tokens["good"], audiences)
        found[f"account of another audience reviewed for {audiences}"] = asking.review(tokens["audience another"], audiences)
    for spec in ({}, {"audiences": ["vault"]}, {"expirationSeconds": 60}, {"expirationSeconds": 2**33},
                 {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "absent"}},
                 {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "absent"}},
                 {"boundObjectRef": {"kind": "Node", "apiVersion": "v1", "name": "absent"}},
                 {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "absent"}}):
        status, answer = asking.admin("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
        found[f"token request {json.dumps(spec)}"] = (status, answer.get("message", answer.get("spec")))
        if status == 201:
            found[f"token for {json.dumps(spec)}"] = asking.review(answer["status"]["token"])
    return found


def of_revoked(asking, ids, _):
    """Tokens whose account, pod, secret or node goes, and comes back as another one. Each is asked about once."""
    header, found = {"alg": "RS256", "kid": ids.key_id}, {}
    account = asking.account("leaver")
    pods, secrets = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/secrets"
    bodies = {"pod": (pods, {"metadata": {"name": "bound"}, "spec": {
                  "serviceAccountName": "leaver", "containers": [{"name": "c", "image": "i"}]}}),
              "secret": (secrets, {"metadata": {"name": "bound"}}), "node": ("/api/v1/nodes", {"metadata": {"name": "bound"}})}
    asked = iter(range(1000))

    def reviewed(claims, want):
        """With a claim that makes each token another: the answer to a good one is remembered for some seconds."""
        return asking.until(lambda: asking.review(ids.key.token({**claims, "asked": next(asked)}, header)), want)

    for kind, (collection, body) in bodies.items():
        made = asking.admin("POST", collection, body)[1]
        claims = credentials.account_claims(account, **{kind: ("bound", made["metadata"]["uid"])})
        found[f"bound to a {kind}"] = reviewed(claims, True)
        asking.admin("DELETE", f"{collection}/bound", {"gracePeriodSeconds": 0})
        found[f"bound to a {kind} that is gone"] = reviewed(claims, False)
        asking.admin("POST", collection, body)
        found[f"bound to a {kind} that came back"] = reviewed(claims, False)
        asking.admin("PATCH", f"{collection}/bound", {"metadata": {"finalizers": ["example.com/f"]}},
                     {"Content-Type": "application/merge-patch+json"})
        claims = credentials.account_claims(account, **{kind: ("bound", asking.admin(
            "GET", f"{collection}/bound")[1]["metadata"]["uid"])})
        reviewed(claims, True)
        asking.admin("DELETE", f"{collection}/bound", {"gracePeriodSeconds": 0})
        time.sleep(1)  # it stays, with the time of its deletion; whether the token does is the question
        found[f"bound to a {kind} that is being deleted"] = reviewed(claims, None)
        asking.admin("PATCH", f"{collection}/bound", {"metadata": {"finalizers": None}},
                     {"Content-Type": "application/merge-patch+json"})
    claims = credentials.account_claims(account)
    found["account that is there"] = reviewed(claims, True)
    asking.admin("DELETE", "/api/v1/namespaces/default/serviceaccounts/leaver")
    found["account that is gone"] = reviewed(claims, False)
    asking.account("leaver")
    found["account that came back"] = reviewed(claims, False)
    return found


def of_legacy_accounts(asking, ids, _):
    account = asking.account("veteran")
    claims = {"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:default:veteran",
              ACCOUNT + "namespace": "default", ACCOUNT + "secret.name": "t",
              ACCOUNT + "service-account.name": "veteran", ACCOUNT + "service-account.uid": account["metadata"]["uid"]}
    header = {"alg": "RS256"}
    legacy = ids.key.token(claims, header)

    def secret(name, token, **metadata):
        asking.admin("POST", "/api/v1/namespaces/default/secrets", {
            "metadata": {"name": name, "annotations": {"kubernetes.io/service-account.name": "veteran"}, **metadata},
            "type": "kubernetes.io/service-account-token", "stringData": {"token": token}})

    secret("t", legacy)
    revoked = ids.key.token({**claims, ACCOUNT + "secret.name": "revoked"}, header)
    secret("revoked", revoked, labels={"kubernetes.io/legacy-token-invalid-since": "2024-01-01"})
    deleted = [ids.key.token({**claims, ACCOUNT + "secret.name": "deleted", "n": n}, header) for n in range(2)]
    secret("deleted", deleted[1])
    asking.until(lambda: asking.review(legacy), True)
    asking.admin("DELETE", "/api/v1/namespaces/default/secrets/deleted")
    time.sleep(1)  # kube-apiserver reads it from a cache
    now = int(time.time())
    found = {}
    for name, token in {
            "good": legacy, "revoked": revoked, "deleted": deleted[1],
            "audience": ids.key.token({**claims, "aud": "x"}, header),
            "no secret": ids.key.token({**claims, ACCOUNT + "secret.name": "u"}, header),
            "not the secret's": ids.key.token({**claims, "x": 1}, header),
            "no namespace": ids.key.token({**claims, ACCOUNT + "namespace": ""}, header),
            "subject": ids.key.token({**claims, "sub": "system:serviceaccount:default:x"}, header),
            "expired": ids.key.token({**claims, "exp": now - 3600}, header),
            "not yet valid": ids.key.token({**claims, "nbf": now + 3600}, header),
            "alg none": identity.to_be_signed({"alg": "none"}, claims) + ".",
            "public key as a secret": identity.keyed_token(ids.key.public_pem(), claims, {"alg": "HS256"}),
            "forged": identity.SigningKey("").token(claims, header)}.items():
        found["legacy " + name] = asking.review(token)
    return found


def of_requests(asking, ids, _):
    said = {"X-Remote-User": "ann", "X-Remote-Group": "dev", "X-Remote-Uid": "u", "X-Remote-Extra-A.com%2fB": "c"}
    found = {}
    for name, headers, certificate in (
            ("proxy", said, ids.front), ("other proxy", said, ids.other), ("proxy without a name", {}, ids.front),
            ("proxy with a group only", {"X-Remote-Group": "dev"}, ids.front), ("no proxy", said, ids.client),
            ("expired proxy", said, ids.expired_front),
            ("nobody", said, None), ("certificate", {}, ids.client), ("nameless", {}, ids.nameless),
            ("server's certificate", {}, ids.serving),
            ("certificate and token", {"Authorization": f"Bearer {servers.TOKEN}"}, ids.client),
            ("bad certificate and token", {"Authorization": f"Bearer {servers.TOKEN}"}, ids.serving),
            ("bad token", {"Authorization": "Bearer x"}, None)):
        found["request " + name] = asking.whoami(headers, certificate)
    for name, certificate in ids.certificates.items():
        found["certificate " + name] = asking.whoami({}, certificate)
        found[f"certificate {name} and token"] = asking.whoami({"Authorization": f"Bearer {servers.TOKEN}"}, certificate)
    for name, value in credentials.AUTHORIZATION_HEADERS.items():
        found["header " + name] = asking.whoami({"Authorization": value.format(servers.TOKEN)})
    return found


def of_impersonation(asking, ids, _):
    admin, found = {"Authorization": f"Bearer {servers.TOKEN}"}, {}
    for headers in ({"Impersonate-User": "jane"}, {"Impersonate-User": "system:serviceaccount:a:b"},
                    {"Impersonate-User": "system:serviceaccount:A:b"}, {"Impersonate-User": "system:node:n1"},
                    {"Impersonate-User": "system:node:N1"}, {"Impersonate-User": "system:anonymous"},
                    {"Impersonate-User": "root", "Impersonate-Group": "system:masters"},
                    {"Impersonate-User": "a", "Impersonate-Group": "system:unauthenticated"},
                    {"Impersonate-User": "a", "Impersonate-Uid": "7", "Impersonate-Extra-B%2fC": "d"},
                    {"Impersonate-User": "a", "Impersonate-Extra-": "d"}, {"Impersonate-Extra-X": "d"},
                    {"Impersonate-Group": "dev"}, {"Impersonate-Uid": "7"}, {"Impersonate-User": ""}):
        found["as " + json.dumps(headers)] = asking.whoami({**admin, **headers})
    for headers in ({"Impersonate-User": "jane"}, {"Impersonate-User": "system:node:n1"},
                    {"Impersonate-User": "system:serviceaccount:a:b"}, {"Impersonate-User": "a", "Impersonate-Uid": "1"},
                    {"Impersonate-User": "a", "Impersonate-Group": "dev"},
                    {"Impersonate-User": "a", "Impersonate-Extra-Scope": "s"}):
        found["jane as " + json.dumps(headers)] = asking.whoami(headers, ids.client)
    return found


def normalized(answer, ids):
    """Without what differs from run to run."""
    text = json.dumps(answer, sort_keys=True).replace(ids.provider.url, "https://provider")
    text = UID.sub("UID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[0-9.]* \+0000 UTC", "TIME", text)
    return json.loads(re.sub(r"current time [^)]*? before", "current time T before", text))


def same(name, expected, got):
    """Where the parser's words differ, both must refuse."""
    if name in REFUSED_HERE:
        return "error" in got
    if name in OTHER_WORDS:
        return expected.get("authenticated", False) == got.get("authenticated", False) and "error" in got
    return expected == got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(servers.ROOT / "build"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compat-authn-") as folder:
        ids = Identities(pathlib.Path(folder))
        with servers.Upstream(servers.upstream_binary(options.build), ids.flags) as upstream:
            theirs = answers(upstream.port, ids)
        with servers.Keelson(pathlib.Path(options.build) / "keelson", ids.flags) as keelson:
            ours = answers(keelson.port, ids)
        ids.close()
        return compared.compare({name: normalized(answer, ids) for name, answer in theirs.items()},
                                {name: normalized(answer, ids) for name, answer in ours.items()}, same)


if __name__ == "__main__":
    sys.exit(main())
