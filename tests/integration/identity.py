"""Who vouches for users, for tests: an authority, an OpenID provider and a token webhook on loopback.

Keys and certificates are made by openssl, so that nothing has to be installed for it.
"""

import base64
import hmac
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import tempfile
import threading
import time
import weakref


def openssl(*args, stdin=None):
    done = subprocess.run(["openssl", *map(str, args)], input=stdin, capture_output=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"openssl {args}: {done.stderr.decode()}")
    return done.stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def to_be_signed(header, claims):
    return ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))


def keyed_token(secret, claims, header):
    """A token whose signature is an HMAC: what somebody sends who takes a public key for a secret."""
    signed = to_be_signed(header, claims)
    return f"{signed}.{base64url(hmac.digest(secret, signed.encode(), 'sha256'))}"


class Authority:
    """Issues certificates. Everything it makes is in `folder`."""

    def __init__(self, name):
        self._folder = tempfile.TemporaryDirectory(prefix="keelson-ca-")
        self.folder = pathlib.Path(self._folder.name)
        self.certificate, self._key = self.folder / "ca.crt", self.folder / "ca.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate)
        self._serial = 1
        self._subjects = self.folder / "subjects.conf"  # /kubeUid=... in a subject
        self._subjects.write_text("oid_section = oids\n[oids]\nkubeUid = 1.3.6.1.4.1.57683.2\n"
                                  "[req]\ndistinguished_name = any\nstring_mask = utf8only\n[any]\n")

    def issue(self, subject, usage="clientAuth", names=None, digest="sha256"):
        """The files of a certificate and its key; without any extension if there is no usage."""
        self._serial += 1
        stem = self.folder / f"leaf{self._serial}"
        key, request, certificate, extensions = (stem.with_suffix(s) for s in (".key", ".csr", ".crt", ".ext"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                "-config", self._subjects, "-keyout", key, "-out", request)
        extensions.write_text((f"extendedKeyUsage={usage}\n" if usage else "") +
                              (f"subjectAltName={names}\n" if names else ""))
        openssl("x509", "-req", f"-{digest}", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-days", 1,
                "-set_serial", self._serial, "-extfile", extensions, "-out", certificate)
        return certificate, key

    def issue_between(self, subject, start, end, usage="clientAuth", names=None):
        """A certificate that is valid between two times, as YYYYMMDDHHMMSSZ; a client's by default."""
        self._serial += 1
        stem = self.folder / f"leaf{self._serial}"
        key, request, certificate, config = (stem.with_suffix(s) for s in (".key", ".csr", ".crt", ".conf"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject,
                "-keyout", key, "-out", request)
        (self.folder / "index").write_text("")
        config.write_text("[ca]\ndefault_ca = one\n[one]\npolicy = any\ndefault_md = sha256\n"
                          f"database = {self.folder}/index\nnew_certs_dir = {self.folder}\nrand_serial = yes\n"
                          "[any]\ncommonName = optional\norganizationName = optional\n"
                          f"[leaf]\nextendedKeyUsage = {usage}\n" + (f"subjectAltName = {names}\n" if names else ""))
        openssl("ca", "-batch", "-notext", "-config", config, "-in", request, "-cert", self.certificate, "-keyfile",
                self._key, "-startdate", start, "-enddate", end, "-extensions", "leaf", "-out", certificate)
        return certificate, key

    def close(self):
        self._folder.cleanup()


class SigningKey:
    """An RSA key that signs JSON web tokens."""

    def __init__(self, key_id):
        self.key_id = key_id
        handle, self.file = tempfile.mkstemp(prefix="keelson-key-", suffix=".pem")
        weakref.finalize(self, os.unlink, self.file)
        with open(handle, "wb") as file:
            file.write(openssl("genrsa", 2048))

    def token(self, claims, header=None):
        header = {"alg": "RS256", "kid": self.key_id} if header is None else header
        signed = to_be_signed(header, claims)
        signature = openssl("dgst", "-sha256", "-sign", self.file, stdin=signed.encode())
        return f"{signed}.{base64url(signature)}"

    def public_pem(self):
        return openssl("rsa", "-in", self.file, "-pubout")

    def web_key(self):
        modulus = openssl("rsa", "-in", self.file, "-noout", "-modulus").decode().strip().partition("=")[2]
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.key_id, "e": "AQAB",
                "n": base64url(bytes.fromhex(modulus))}


class HttpsServer:
    """Answers by `routes`: path -> function of (headers, body) that gives (status, object or text)."""

    def __init__(self, authority):
        self.routes, self.requests = {}, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.requests.append((self.path, self.headers, body))
                route = outer.routes.get(self.path.partition("?")[0])
                status, value = route(self.headers, body) if route else (404, "not found")
                data = (value if isinstance(value, str) else json.dumps(value)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status in (301, 302, 307):
                    self.send_header("Location", f"{outer.url}/elsewhere")
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate, self.key_file = authority.issue("/CN=localhost", "serverAuth", "DNS:localhost,IP:127.0.0.1")
        context.load_cert_chain(certificate, self.key_file)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Provider(HttpsServer):
    """An OpenID provider."""

    def __init__(self, authority):
        super().__init__(authority)
        self.key = SigningKey("k1")
        self.routes["/.well-known/openid-configuration"] = lambda *_: (
            200, {"issuer": self.url, "jwks_uri": self.url + "/keys"})
        self.routes["/keys"] = lambda *_: (200, {"keys": [self.key.web_key()]})

    def token(self, key=None, header=None, **claims):
        claims = {"iss": self.url, "aud": "k8s", "sub": "ann", "exp": int(time.time()) + 300, **claims}
        return (key or self.key).token({k: v for k, v in claims.items() if v is not None}, header)


class Webhook(HttpsServer):
    """A server that answers reviews at `path`; those that came are in `reviews`."""

    path = None

    def __init__(self, authority):
        super().__init__(authority)
        self.reviews = []
        self.routes[self.path] = self._answer

    def _answer(self, _, body):
        review = json.loads(body)
        self.reviews.append(json.loads(body))
        return self.review(review)

    def kubeconfig(self, folder, ca):
        file = pathlib.Path(folder) / f"{type(self).__name__}-{self.url.rpartition(':')[2]}.kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "w", "cluster": {"server": self.url + self.path,
                                                   "certificate-authority": str(ca)}}],
            "contexts": [{"name": "c", "context": {"cluster": "w", "user": ""}}], "users": []}))
        return file


class TokenWebhook(Webhook):
    """Knows the tokens in `users`: token -> user."""

    path = "/authn"

    def __init__(self, authority):
        super().__init__(authority)
        self.users = {}

    def review(self, review):
        user = self.users.get(review["spec"]["token"])
        review["status"] = {"authenticated": True, "user": user} if user else {"authenticated": False}
        del review["spec"]
        return 200, review


class AccessWebhook(Webhook):
    """Answers reviews of access as `decide` says: spec -> status, or (HTTP status, text)."""

    path = "/authz"

    def __init__(self, authority, decide=lambda spec: {"allowed": False}):
        super().__init__(authority)
        self.decide = decide

    def review(self, review):
        status = self.decide(review["spec"])
        if isinstance(status, tuple):
            return status
        return 200, {"apiVersion": review["apiVersion"], "kind": review["kind"], "status": status}

    def config(self, folder, ca, name="hook", **changes):
        """This webhook in an AuthorizationConfiguration."""
        return {"type": "Webhook", "name": name, "webhook": {
            "timeout": "3s", "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
            "failurePolicy": "NoOpinion",
            "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": str(self.kubeconfig(folder, ca))},
            **changes}}


def authorization_config(*authorizers):
    """The text of a file; names stand for built-in authorizers."""
    return json.dumps({
        "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration",
        "authorizers": [{"type": a, "name": a.lower()} if isinstance(a, str) else a for a in authorizers]})


class ImageWebhook(Webhook):
    """Denies images whose name begins with "bad"; says why unless the name is just that."""

    path = "/images"

    def review(self, review):
        review["status"] = self.status(review.pop("spec"))
        return 200, review

    def status(self, spec):
        for container in spec["containers"]:
            if container["image"].startswith("bad"):
                reason = container["image"].removeprefix("bad")
                return {"allowed": False, **({"reason": reason} if reason else {})}
        return {"allowed": True}
