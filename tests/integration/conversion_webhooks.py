"""A server of conversion webhooks for tests, and a custom resource to convert: sites, which have spec.host and spec.port
in v1 and spec.address, "host:port", in v2."""

import admission_webhooks as hooks

GROUP = "conversion.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
V1 = {"host": {"type": "string"}, "port": {"type": "integer"}, "replicas": {"type": "integer"}}
V2 = {"address": {"type": "string"}, "replicas": {"type": "integer"}}


class ConversionServer(hooks.AdmissionServer):
    """Its hooks are given the request of a review and give the members of a response, or what AdmissionServer takes."""

    def review_of(self, review, answer):
        return {"kind": "ConversionReview", "apiVersion": review["apiVersion"],
                "response": {"uid": review["request"]["uid"], "result": {"status": "Success"}, **answer}}


def converted(site, version):
    """The site in `version`: "group/version"."""
    if site["apiVersion"] == version:
        return site
    spec = dict(site.get("spec", {}))
    if version.endswith("/v2"):
        spec["address"] = f"{spec.pop('host', '')}:{spec.pop('port', 0)}"
    else:
        host, _, port = spec.pop("address", ":0").rpartition(":")
        spec.update(host=host, port=int(port or 0))
    return {**site, "apiVersion": version, "spec": spec}


def convert(request):
    """A hook that does what it should."""
    return {"convertedObjects": [converted(site, request["desiredAPIVersion"]) for site in request["objects"]]}


def version(name, properties, storage, **more):
    return {"name": name, "served": True, "storage": storage,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                     "statusReplicasPath": ".status.replicas"}},
            "additionalPrinterColumns": [{"name": n.capitalize(), "type": p["type"], "jsonPath": f".spec.{n}"}
                                         for n, p in properties.items()],
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": properties},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}, **more}


def definition(plural, client_config, stored="v2", review_versions=("v1",)):
    kind = plural[:-1].capitalize()
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                     "versions": [version("v1", V1, stored == "v1"), version("v2", V2, stored == "v2")],
                     "conversion": {"strategy": "Webhook", "webhook": {
                         "conversionReviewVersions": list(review_versions), "clientConfig": client_config}}}}


def path(plural, version, name="", ns="default"):
    return f"/apis/{GROUP}/{version}/namespaces/{ns}/{plural}" + (f"/{name}" if name else "")


def site(plural, version, name, **more):
    spec = {"host": "h", "port": 80} if version == "v1" else {"address": "h:80"}
    return {"apiVersion": f"{GROUP}/{version}", "kind": plural[:-1].capitalize(), "metadata": {"name": name},
            "spec": {**spec, "replicas": 1}, **more}
