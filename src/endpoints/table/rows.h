// The rows of `kubectl get` for the kinds that have columns of their own.
#pragma once

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "endpoints/table/cells.h"
#include "endpoints/table/printer.h"

namespace keelson::endpoints::table {

// The printer of a built-in resource; the default one when it has no columns of its own.
const Printer& PrinterFor(const api::ResourceDesc& resource);

// Each writes one cell for each of its resource's columns, in their order.
void PodRow(const api::StructNode& object, Cells& cells);
void NodeRow(const api::StructNode& object, Cells& cells);
void ServiceRow(const api::StructNode& object, Cells& cells);
void EndpointsRow(const api::StructNode& object, Cells& cells);
void EventRow(const api::StructNode& object, Cells& cells);
void PersistentVolumeRow(const api::StructNode& object, Cells& cells);
void PersistentVolumeClaimRow(const api::StructNode& object, Cells& cells);

}  // namespace keelson::endpoints::table
