"""What the generator knows of one resource: where it is served, and objects of it."""

import copy
import json
import zlib

from generate.minimal import MINIMAL

# Controllers inside kube-apiserver write to these some time after a client did.
SETTLING = {"customresourcedefinitions", "apiservices", "flowschemas", "prioritylevelconfigurations", "servicecidrs"}
# A certificate request for CN=u; nobody has its key.
CSR = ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HNENBUUF3RERFS01BZ0dBMVVFQXd3QmRUQlpNQk1HQnlx"
       "R1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCSXp4bnFkMjFQMEF0OHhqQmN3ZThMRkgwRWJzSjZvd0l5ZjRLbEJ5TGRqUmNDbkJN"
       "M05QVmZDSWl0TnM2UnVpCkN0SUpWQit3QU8xTGhncThXdGplSjcyZ0FEQUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUFwc1ZlbC9F"
       "eFR1bTMKZlFQWGU2ZFRlaWdGN0tUMC9XZzF0dzlMd05kTEtkWUNJSEZjcGdkSDVNc1U1Y0xHM1pNcndnYkZyTDB0OVRaTApVOWdo"
       "Zms5Q0wvV2wKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==")


class Resource:
    def __init__(self, group, version, entry):
        self.group, self.version, self.plural = group, version, entry["resource"]
        self.kind = entry["responseKind"]["kind"]
        self.namespaced = entry["scope"] == "Namespaced"
        self.verbs = entry["verbs"]
        self.subresources = {one["subresource"] for one in entry.get("subresources", [])}

    @property
    def id(self):
        return f"{self.group or 'core'}/{self.version}/{self.plural}"

    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def settles(self):
        return self.plural in SETTLING

    def collection(self, namespace="$ns"):
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{namespace}/{self.plural}" if self.namespaced else f"{root}/{self.plural}"

    def name(self, tag):
        """A good name for an object; tags are short, of letters, and unlike those of other scenarios."""
        if self.plural == "apiservices":
            return f"v1.{tag}.example.com"
        if self.plural == "customresourcedefinitions":
            return f"{tag}s.example.com"
        if self.plural == "ipaddresses":
            number = zlib.crc32(tag.encode())
            return f"10.1.{number % 256}.{number // 256 % 254 + 1}"
        if self.plural == "storageversions":
            return f"{tag}.example.com.nopes"
        return f"g-{tag}"

    def fill(self, value, tag):
        """Puts in what depends on the object's name."""
        text = json.dumps(value)
        for name, instead in (("$group", f"{tag}.example.com"), ("$plural", f"{tag}s"), ("$singular", tag),
                              ("$kind", tag.capitalize()), ("$csr", CSR)):
            text = text.replace(name, instead)
        return json.loads(text)

    def object(self, tag, content):
        """An object with all of its metadata that the cases rely on."""
        metadata = {"name": self.name(tag), "labels": {"app": "x"}}
        if self.group == "authorization.k8s.io":
            metadata = {}  # these reviews may have none
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **self.fill(content, tag)}

    def minimal(self, tag):
        names = (f"{self.api_version}/{self.kind}", f"{self.group}/{self.kind}", self.kind)
        content = next((MINIMAL[name] for name in names if name in MINIMAL), None)
        if content is None:
            raise KeyError(f"{self.id}: minimal.py has no object of kind {self.kind}")
        return self.object(tag, copy.deepcopy(content))


def discover(read):
    """All resources that the server lists, by `read(path, accept)`."""
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    found = []
    for path in ("/api", "/apis"):
        for group in read(path, accept)["items"]:
            for version in group["versions"]:
                found += [Resource(group["metadata"].get("name", ""), version["version"], entry)
                          for entry in version["resources"]]
    return found
