// The metadata of any object: by convention the field "metadata" of its root. Reading and
// writing single fields is the generated view's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/generated/meta_v1.h"
#include "api/types/doc.h"
#include "base/clock.h"

namespace keelson::api {

// A null view when the document has no metadata (all its fields read as absent).
meta_v1::ObjectMetaView MetadataOf(const Doc& doc);
// Made if absent. Requires: the root type has object metadata.
meta_v1::ObjectMetaEditor MutableMetadataOf(Doc& doc);

// What only the server sets on creation: uid and creationTimestamp.
void FillObjectMetaSystemFields(Doc& doc, const base::Clock& clock);
// Removes what a client may not bring along: uid, creation and deletion fields, selfLink.
void WipeObjectMetaSystemFields(Doc& doc);

// Removes owner references that repeat an earlier one in every field. Gives the warning for the client;
// empty: there were none. `after_admission`: they may be the work of mutating admission.
std::string DropRepeatedOwners(Doc& doc, bool after_admission);

bool HasFinalizer(meta_v1::ObjectMetaView metadata, std::string_view finalizer);

// A random (version 4) UUID.
std::string NewUid();
// `base` and five random characters, at most 63 in all: a long base is cut.
std::string GenerateName(std::string_view base);

// Unix seconds, as kTime fields hold them.
int64_t NowSeconds(const base::Clock& clock);

// Whether the two, versions of one object, differ in nothing but what garbage collection and the tracking of
// fields change: owners, finalizers and managed fields.
bool DifferForCollectionOnly(const Doc& now, const Doc& was);

}  // namespace keelson::api
