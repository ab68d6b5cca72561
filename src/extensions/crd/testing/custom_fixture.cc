#include "extensions/crd/testing/custom_fixture.h"

#include "api/codec/json.h"
#include "api/codec/protobuf.h"

namespace keelson::extensions {
namespace {

std::string VersionJson(std::string_view name, bool stored, std::string_view more_of_spec) {
  std::string text = R"({"name":")";
  text.append(name).append(R"(","served":true,"storage":)").append(stored ? "true" : "false");
  text.append(R"(,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
    "spec":{"type":"object","properties":{)");
  text.append(more_of_spec).append(R"(
      "replicas":{"type":"integer","default":1,"minimum":0},
      "paused":{"type":"boolean","default":false},
      "selector":{"type":"object","additionalProperties":{"type":"string"}},
      "template":{"type":"object","properties":{
        "labels":{"type":"object","additionalProperties":{"type":"string"}},
        "containers":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
          "items":{"type":"object","required":["name"],"properties":{
            "name":{"type":"string","minLength":1},
            "image":{"type":"string"},
            "pull":{"type":"string","enum":["Always","Never"],"default":"Always"},
            "args":{"type":"array","items":{"type":"string"}},
            "env":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
              "items":{"type":"object","required":["name"],"properties":{
                "name":{"type":"string"},"value":{"type":"string"}}}},
            "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
              "items":{"type":"object","required":["port"],"properties":{
                "port":{"type":"integer"},"name":{"type":"string"}}}},
            "limits":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}},
    "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})");
  return text;
}

std::string Definition() {
  const std::string names =
      R"({"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"})";
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.example.com","uid":"w"},
    "spec":{"group":"example.com","scope":"Namespaced","names":)" +
         names + R"(,"versions":[)" + VersionJson("v1", true, "") + "," +
         VersionJson("v2", false, R"("color":{"type":"string"},)") + "," + VersionJson("v3", false, "") +
         R"(]},"status":{"acceptedNames":)" + names + "}}";
}

}  // namespace

CustomFixture::CustomFixture() : widgets_(Reopened()) {
  for (endpoints::ServedResource& served : CustomStorage::Served(widgets_)) Serve(std::move(served));
}

std::unique_ptr<CustomStorage> CustomFixture::Reopened() {
  const api::ResourceDesc& definitions =
      *api::FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  api::Arena arena;
  api::StructNode* const root =
      api::json::Decode(arena.CopyString(Definition()), *definitions.type, arena, nullptr).value();
  const api::Doc definition(std::move(arena), root);
  const StorageOptions storage_options{
      .backend = &backend(),
      .cacher = [](const api::ResourceDesc&) { return storage::CacherOptions(); },
      .admission = [](const api::ResourceDesc&, std::string_view) { return admission::Hooks(); },
      .clock = &clock_};
  base::BufferBuilder envelope;
  api::protobuf::EncodeObject(definition, envelope);
  return CustomStorage::Open(CustomResource::Make(definition, envelope.Take(), nullptr).value(),
                             storage_options)
      .value();
}

std::string CustomFixture::Widget(std::string_view name, std::string_view image,
                                  std::string_view api_version) {
  std::string text = R"({"apiVersion":")";
  text.append(api_version).append(R"(","kind":"Widget","metadata":{"name":")").append(name);
  text.append(R"(","namespace":"default","labels":{"app":"web","tier":"front"},
  "annotations":{"example.com/checksum":"0123456789abcdef"}},
  "spec":{"replicas":3,"selector":{"app":"web"},"template":{"labels":{"app":"web","tier":"front"},
  "containers":[{"name":"web","image":")");
  text.append(image).append(R"(","args":["--port=80","--log=info"],
  "env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}],
  "ports":[{"port":80,"name":"http"},{"port":443,"name":"https"}],"limits":{"cpu":"1","memory":"1Gi"}},
  {"name":"sidecar","image":"registry.example/sidecar:1","env":[{"name":"A","value":"1"}],
  "ports":[{"port":9090,"name":"metrics"}]}]}}})");
  return text;
}

endpoints::ApiFixture::Reply CustomFixture::Apply(std::string target, std::string config,
                                                  std::string_view manager) {
  target.append(target.find('?') == std::string::npos ? "?" : "&").append("fieldManager=").append(manager);
  return Do("PATCH", std::move(target), std::move(config),
            {{"content-type", "application/apply-patch+yaml"}});
}

}  // namespace keelson::extensions
