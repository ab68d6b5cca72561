#include "api/meta/ownership.h"

#include "api/codec/protobuf_wire.h"

namespace keelson::api {
namespace {

using protobuf::WireReader;

// Field numbers of ObjectMeta and of OwnerReference.
constexpr uint32_t kDeletionTimestamp = 9, kOwnerReferences = 13, kFinalizers = 14;
constexpr uint32_t kKind = 1, kName = 3, kUid = 4, kApiVersion = 5, kBlockOwnerDeletion = 7;

bool ReadOwner(std::string_view message, OwnerReference& owner) {
  WireReader r(message);
  uint32_t number, wire;
  while (!r.done()) {
    if (!r.Tag(&number, &wire)) return false;
    if (number == kBlockOwnerDeletion && wire == protobuf::kVarint) {
      uint64_t value;
      if (!r.Varint(&value)) return false;
      owner.blocks_deletion = value != 0;
      continue;
    }
    if (wire != protobuf::kBytes) {
      if (!r.Skip(wire)) return false;
      continue;
    }
    std::string_view bytes;
    if (!r.Bytes(&bytes)) return false;
    switch (number) {
      case kKind: owner.kind = bytes; break;
      case kName: owner.name = bytes; break;
      case kUid: owner.uid = bytes; break;
      case kApiVersion: owner.api_version = bytes; break;
      default: break;
    }
  }
  return true;
}

}  // namespace

bool ReadOwnership(std::string_view metadata, Ownership& out) {
  out = {};
  WireReader r(metadata);
  uint32_t number, wire;
  while (!r.done()) {
    if (!r.Tag(&number, &wire)) return false;
    if (wire != protobuf::kBytes) {
      if (!r.Skip(wire)) return false;
      continue;
    }
    std::string_view bytes;
    if (!r.Bytes(&bytes)) return false;
    switch (number) {
      case kDeletionTimestamp: out.deleting = true; break;
      case kOwnerReferences:
        if (!ReadOwner(bytes, out.owners.emplace_back())) return false;
        break;
      case kFinalizers:
        out.finalizers.push_back(bytes);
        out.orphans = out.orphans || bytes == kOrphanFinalizer;
        out.foreground = out.foreground || bytes == kForegroundFinalizer;
        break;
      default: break;
    }
  }
  return true;
}

}  // namespace keelson::api
