// The rows of `kubectl get` for core/v1; the longer ones have files of their own.
#pragma once

#include "endpoints/table/kind_row.h"

namespace keelson::endpoints::table {

std::span<const KindRow> CoreRows();

// Each writes one cell for each of its resource's columns, in their order.
void PodRow(const api::StructNode& object, Cells& cells);
void NodeRow(const api::StructNode& object, Cells& cells);
void ServiceRow(const api::StructNode& object, Cells& cells);
void EndpointsRow(const api::StructNode& object, Cells& cells);
void EventRow(const api::StructNode& object, Cells& cells);
void PersistentVolumeRow(const api::StructNode& object, Cells& cells);
void PersistentVolumeClaimRow(const api::StructNode& object, Cells& cells);

}  // namespace keelson::endpoints::table
