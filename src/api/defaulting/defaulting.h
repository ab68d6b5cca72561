// Defaulting: fills in what a client left out, as upstream's versioned defaults do.
#pragma once

#include "api/types/doc.h"

namespace keelson::api {

// By the document's type. Applied after every decode of client input and of stored bytes.
// Idempotent.
void SetDefaults(Doc& doc);

}  // namespace keelson::api
