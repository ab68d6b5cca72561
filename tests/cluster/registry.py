"""A registry of images: what OCI's distribution specification asks of one that is only read from.

    GET, HEAD  /v2/                            that it is one
               /v2/NAME/manifests/REFERENCE    of an image, by tag or digest
               /v2/NAME/blobs/DIGEST           its layers and its configuration
               /v2/NAME/tags/list

Its images are those of docker archives, each under all of its names. It stands in for every registry that they are named
after: containerd, which is told so by hosts_toml(), says which one it means with ?ns=HOST. Without that, HOST is the first
part of NAME. What is not there is answered as a registry answers it, so a pull fails and kubelet waits and tries again.
"""

import hashlib
import http.server
import json
import re
import tarfile
import threading
import urllib.parse

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
DEFAULT_HOST = "docker.io"  # of names that have none
PIECE = 1 << 20


def split(reference):
    """(host, name, tag) of an image's name, as container runtimes read it."""
    host, separator, rest = reference.partition("/")
    if not separator or not (set(".:") & set(host) or host == "localhost"):
        host, rest = DEFAULT_HOST, reference
    name, separator, tag = rest.rpartition(":")
    if not separator:
        name, tag = rest, "latest"
    if host == DEFAULT_HOST and "/" not in name:
        name = f"library/{name}"
    return host, name, tag


def hosts_toml(url):
    """The configuration that makes the registry at `url` the one for all names, in containerd's folder _default."""
    return f'server = "{url}"\n\n[host."{url}"]\ncapabilities = ["pull", "resolve"]\n'


class Blob:
    """Content that is a part of a file, or bytes."""

    def __init__(self, size, file=None, offset=0, data=b""):
        self.size, self._file, self._offset, self._data = size, file, offset, data

    def pieces(self, first, end):
        """Its bytes from `first` to before `end`."""
        if self._file is None:
            yield self._data[first:end]
            return
        with open(self._file, "rb") as file:
            file.seek(self._offset + first)
            while first < end:
                piece = file.read(min(PIECE, end - first))
                if not piece:
                    raise OSError(f"{self._file} is shorter than it was")
                first += len(piece)
                yield piece


class Store:
    """The images of some archives."""

    def __init__(self, archives):
        self.blobs = {}  # {digest: Blob}
        self.manifests = {}  # {digest: bytes}
        self.tags = {}  # {(host, name): {tag: digest of a manifest}}
        self.parts = {}  # {(host, name): digests of what its images consist of}
        for archive in archives:
            self._add(archive)

    def _add(self, archive):
        with tarfile.open(archive) as tar:
            members = {member.name: member for member in tar.getmembers()}
            for image in json.load(tar.extractfile(members["manifest.json"])):
                config = tar.extractfile(members[image["Config"]]).read()
                described = {"mediaType": CONFIG, "digest": digest(config), "size": len(config)}
                self.blobs[described["digest"]] = Blob(len(config), data=config)
                # The tars of the layers are not compressed: their digests are those that the configuration tells.
                layers = []
                for name, told in zip(image["Layers"], json.loads(config)["rootfs"]["diff_ids"]):
                    member = members[name]
                    self.blobs[told] = Blob(member.size, archive, member.offset_data)
                    layers.append({"mediaType": LAYER, "digest": told, "size": member.size})
                self._name(image["RepoTags"], {"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": layers})

    def _name(self, references, manifest):
        data = json.dumps(manifest).encode()
        self.manifests[digest(data)] = data
        for reference in references:
            host, name, tag = split(reference)
            self.tags.setdefault((host, name), {})[tag] = digest(data)
            self.parts.setdefault((host, name), set()).update(
                part["digest"] for part in (manifest["config"], *manifest["layers"]))

    def manifest(self, repository, reference):
        """(digest, bytes), or None."""
        known = self.tags[repository]
        found = reference if reference in known.values() else known.get(reference)
        return found and (found, self.manifests[found])

    def blob(self, repository, wanted):
        return self.blobs[wanted] if wanted in self.parts[repository] else None


def digest(data):
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = None

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path in ("/v2", "/v2/"):
            self._answer(200, b"{}")
            return
        asked = re.fullmatch(r"/v2/(?P<name>[^?]+?)/(?P<what>manifests|blobs|tags)/(?P<which>[^/]+)", url.path)
        if not asked:
            self._refuse("UNSUPPORTED", f"{url.path} is nothing that is served here")
            return
        host = urllib.parse.parse_qs(url.query).get("ns", [None])[0]
        repository = (host, asked["name"]) if host else tuple(asked["name"].partition("/")[::2])
        if repository not in self.store.tags:
            self._refuse("NAME_UNKNOWN", f"there is no {'/'.join(repository)}")
            return
        getattr(self, f"_{asked['what']}")(repository, asked["which"])

    do_HEAD = do_GET

    def _manifests(self, repository, reference):
        found = self.store.manifest(repository, reference)
        if not found:
            self._refuse("MANIFEST_UNKNOWN", f"{'/'.join(repository)} has no {reference}")
            return
        self._answer(200, found[1], {"Content-Type": MANIFEST, "Docker-Content-Digest": found[0]})

    def _blobs(self, repository, wanted):
        blob = self.store.blob(repository, wanted)
        if not blob:
            self._refuse("BLOB_UNKNOWN", f"{'/'.join(repository)} has no {wanted}")
            return
        fields = {"Content-Type": "application/octet-stream", "Docker-Content-Digest": wanted, "Accept-Ranges": "bytes"}
        first, end, status = 0, blob.size, 200
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if part:
            first, end = int(part[1]), min(int(part[2] or blob.size) + 1, blob.size)
            if first >= end:
                self._answer(416, b"", {"Content-Range": f"bytes */{blob.size}"})
                return
            status = 206
            fields["Content-Range"] = f"bytes {first}-{end - 1}/{blob.size}"
        self._begin(status, end - first, fields)
        if self.command == "HEAD":
            return
        for piece in blob.pieces(first, end):
            self.wfile.write(piece)

    def _tags(self, repository, which):
        if which != "list":
            self._refuse("UNSUPPORTED", f"tags/{which} is nothing that is served here")
            return
        name = self.path[len("/v2/"):].partition("/tags/")[0]
        self._answer(200, json.dumps({"name": name, "tags": sorted(self.store.tags[repository])}).encode())

    def _refuse(self, code, message):
        self._answer(404, json.dumps({"errors": [{"code": code, "message": message}]}).encode())

    def _answer(self, status, body, fields=None):
        self._begin(status, len(body), {"Content-Type": "application/json", **(fields or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _begin(self, status, length, fields):
        self.send_response(status)
        for name, value in {**fields, "Content-Length": length, "Docker-Distribution-API-Version": "registry/2.0"}.items():
            self.send_header(name, str(value))
        self.end_headers()

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        """Nothing: who pulled what is in containerd's log."""


class Registry:
    """A registry that serves at an address until it is closed."""

    def __init__(self, archives, address):
        handler = type("Handler", (Handler,), {"store": Store(archives)})
        self._server = http.server.ThreadingHTTPServer((address, 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://{address}:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
