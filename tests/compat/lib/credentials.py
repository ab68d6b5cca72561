"""Tokens and certificates that are not quite right, in every way that a server has to notice."""

import time

from lib import servers  # noqa: F401  (makes tests/integration known)
import identity

ACCOUNT = "kubernetes.io/serviceaccount/"
ISSUER = "https://kubernetes.default.svc"
HOUR = 3600


def bad_forms(key, claims, good_header):
    """Tokens with claims that would do, and something wrong around them. Name -> token."""
    good = key.token(claims, good_header)
    head, body, signature = good.split(".")
    stranger = identity.SigningKey(key.key_id)
    public = key.public_pem()

    def headed(**changes):
        return key.token(claims, changed(good_header, **changes))

    return {
        "alg none": identity.to_be_signed({**good_header, "alg": "none"}, claims) + ".",
        "alg none with a signature": headed(alg="none"), "alg None": headed(alg="None"),
        "alg absent": headed(alg=None), "alg empty": headed(alg=""), "alg of another hash": headed(alg="RS384"),
        "alg of another padding": headed(alg="PS256"), "alg of another kind of key": headed(alg="ES256"),
        "alg symmetric": headed(alg="HS256"),
        "public key as a secret": identity.keyed_token(public, claims, {**good_header, "alg": "HS256"}),
        "public key as a secret, stripped": identity.keyed_token(public.strip(), claims, {**good_header, "alg": "HS256"}),
        "unknown kid": headed(kid="nobody"), "no kid": headed(kid=None), "kid a number": headed(kid=7),
        "critical header": headed(crit=["b64"], b64=False), "unknown critical header": headed(crit=["x"], x=1),
        "embedded key": stranger.token(claims, {**good_header, "jwk": stranger.web_key()}),
        "typ": headed(typ="at+jwt"),
        "another's signature": stranger.token(claims, good_header),
        "no signature": f"{head}.{body}.", "two parts": f"{head}.{body}", "four parts": good + ".x",
        "five parts": good + ".x.y", "empty parts": "..", "padded": f"{head}=.{body}.{signature}",
        "signature changed": f"{head}.{body}.{signature[:-6]}AAAAAA",
        "body changed": f"{head}.{body[:-4]}AAAA.{signature}", "not base64": f"{head}.!!.{signature}",
        "claims a list": key.token([claims], good_header), "claims text": key.token("x", good_header),
        "header a list": f"{identity.base64url(b'[]')}.{body}.{signature}",
    }


def bad_times(make):
    """`make` gives a token with the claims changed. Name -> token."""
    now = int(time.time())
    return {
        "expired": make(exp=now - HOUR), "expires now": make(exp=now - 1), "expired within the leeway": make(exp=now - 30),
        "no expiry": make(exp=None), "expiry zero": make(exp=0), "expiry negative": make(exp=-5),
        "expiry text": make(exp=str(now + HOUR)), "expiry with a fraction": make(exp=now + HOUR + 0.5),
        "expiry far away": make(exp=2**53), "not yet valid": make(nbf=now + HOUR), "valid in a moment": make(nbf=now + 30),
        "issued in the future": make(iat=now + HOUR), "issued in a moment": make(iat=now + 30),
        "issued long ago": make(iat=1),
    }


def bad_claims(make):
    """Of any issuer's tokens."""
    return {
        "no issuer": make(iss=None), "issuer a number": make(iss=7), "issuer with a slash": make(iss=ISSUER + "/"),
        "no audience": make(aud=None), "audience empty": make(aud=[]), "audience another": make(aud=["vault"]),
        "audience among others": make(aud=["vault", ISSUER]), "audience a number": make(aud=7),
        "no subject": make(sub=None), "subject empty": make(sub=""), "subject a number": make(sub=7),
    }


def account_claims(account, **bound):
    """The claims of a token as the server would issue it. `bound`: pod, secret or node, each (name, uid)."""
    metadata, now = account["metadata"], int(time.time())
    private = {"namespace": metadata["namespace"], "serviceaccount": {"name": metadata["name"], "uid": metadata["uid"]}}
    private |= {kind: {"name": name, "uid": uid} for kind, (name, uid) in bound.items()}
    return {"iss": ISSUER, "aud": [ISSUER], "sub": f"system:serviceaccount:{metadata['namespace']}:{metadata['name']}",
            "exp": now + HOUR, "nbf": now - 10, "iat": now - 10, "jti": "11111111-1111-1111-1111-111111111111",
            "kubernetes.io": private}


def changed(claims, **changes):
    """Claims with some replaced, or left out where the value is None."""
    return {name: value for name, value in {**claims, **changes}.items() if value is not None}


def bad_private_claims(claims):
    """Claims of a service account's token that do not fit what is there. Name -> claims."""
    private = claims["kubernetes.io"]
    account = private["serviceaccount"]

    def with_private(**changes):
        return {**claims, "kubernetes.io": changed(private, **changes)}

    uid = "22222222-2222-2222-2222-222222222222"
    return {
        "no private claims": changed(claims, **{"kubernetes.io": None}),
        "private claims a list": {**claims, "kubernetes.io": []},
        "no namespace": with_private(namespace=None), "another namespace": with_private(namespace="kube-system"),
        "no account": with_private(serviceaccount=None),
        "account without a uid": with_private(serviceaccount={"name": account["name"]}),
        "another uid": with_private(serviceaccount={**account, "uid": uid}),
        "another account": with_private(serviceaccount={"name": "nobody", "uid": account["uid"]}),
        "another subject": {**claims, "sub": "system:serviceaccount:default:nobody"},
        "subject without an account": {**claims, "sub": "ann"},
        "pod that is absent": with_private(pod={"name": "nobody", "uid": uid}),
        "secret that is absent": with_private(secret={"name": "nobody", "uid": uid}),
        "node that is absent": with_private(node={"name": "nobody", "uid": uid}),
        "pod and secret": with_private(pod={"name": "nobody", "uid": uid}, secret={"name": "nobody", "uid": uid}),
        "warn after": with_private(warnafter=int(time.time()) - 5),
        "claims of an old token": {**claims, ACCOUNT + "namespace": "default", ACCOUNT + "secret.name": "t",
                                   ACCOUNT + "service-account.name": account["name"],
                                   ACCOUNT + "service-account.uid": account["uid"]},
        "issuer of old tokens": {**claims, "iss": "kubernetes/serviceaccount"},
    }


def _time(seconds_from_now):
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + seconds_from_now))


def certificates(authority):
    """An authority that no server knows, and name -> (certificate, key)."""
    stranger = identity.Authority("login-ca")  # called like the one they know
    return stranger, {
        "expired": authority.issue_between("/O=dev/CN=jane", _time(-2 * HOUR), _time(-HOUR)),
        "not yet valid": authority.issue_between("/O=dev/CN=jane", _time(HOUR), _time(2 * HOUR)),
        "valid now": authority.issue_between("/O=dev/CN=jane", _time(-HOUR), _time(HOUR)),
        "another authority of the name": stranger.issue("/O=dev/CN=jane"),
        "the authority's own": (authority.certificate, authority.folder / "ca.key"),
        "no usage": authority.issue("/O=dev/CN=jane", usage=None),
        "any usage": authority.issue("/O=dev/CN=jane", usage="anyExtendedKeyUsage"),
        "both usages": authority.issue("/O=dev/CN=jane", usage="serverAuth,clientAuth"),
        "another usage": authority.issue("/O=dev/CN=jane", usage="codeSigning"),
        "several units": authority.issue("/O=dev/OU=a/OU=b/O=ops/CN=jane"),
        "units but no organisation": authority.issue("/OU=a/OU=b/CN=jane"),
        "the same organisation twice": authority.issue("/O=dev/O=dev/CN=jane"),
        "several names": authority.issue("/CN=jane/O=dev/CN=joan"),
        "names elsewhere": authority.issue("/O=dev", names="DNS:jane,email:jane@example.com"),
        "masters": authority.issue("/O=system:masters/CN=root"),
        "node": authority.issue("/O=system:nodes/CN=system:node:n1"),
        "account": authority.issue("/O=system:serviceaccounts/CN=system:serviceaccount:default:robot"),
        "anonymous": authority.issue("/CN=system:anonymous"),
        "with a uid": authority.issue("/CN=jane/kubeUid=u-1"),
        "with two uids": authority.issue("/CN=jane/kubeUid=u-1/kubeUid=u-2"),
    }


AUTHORIZATION_HEADERS = {
    "lower case": "bearer {}", "upper case": "BEARER {}", "two spaces": "Bearer  {}", "trailing text": "Bearer {} x",
    "no token": "Bearer", "empty token": "Bearer ", "another scheme": "Token {}", "basic": "Basic YTpi", "empty": "",
    "leading space": " Bearer {}", "comma": "Bearer {},x", "quoted": 'Bearer "{}"',
}
