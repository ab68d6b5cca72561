// Events as text: JSON of audit.k8s.io/v1, and the line of the legacy format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/event.h"
#include "audit/level.h"
#include "base/clock.h"
#include "base/slice.h"

namespace keelson::audit {

inline constexpr std::string_view kVersion = "audit.k8s.io/v1";
// The kind and version that a log line begins with. They stand at the head of an event's first piece.
inline constexpr std::string_view kEventHead = R"({"kind":"Event","apiVersion":"audit.k8s.io/v1",)";

// An event as a line, with its break, in pieces that share the bodies. Without bodies it is one piece, and
// those of one thread mostly stand one behind the other in memory.
struct EventText {
  base::Slice first;
  std::vector<base::Slice> more;
  size_t bytes = 0;

  void Add(base::Slice piece) {
    bytes += piece.size();
    if (piece.empty()) return;
    if (first.empty())
      first = std::move(piece);
    else
      more.push_back(std::move(piece));
  }
  void ForEach(const auto& take) const {
    take(first.view());
    for (const base::Slice& piece : more) take(piece.view());
  }
};

enum class Bodies : bool { kLeftOut, kKept };

// With kLeftOut the event says that it was cut. What the first stage says of the request is kept in `event`
// for the stage after it.
EventText EncodeJson(Event& event, Stage stage, base::Clock::WallTime when, Bodies bodies);
EventText EncodeLegacy(const Event& event, Stage stage);

// `json` without metadata.managedFields of the object, of a list's items and of a table's rows. What is no
// such JSON comes back as it is.
base::Slice WithoutManagedFields(const base::Slice& json);
// `json` without white space between its tokens, so that it stands on one line. Requires: it is valid.
base::Slice Compacted(const base::Slice& json);

}  // namespace keelson::audit
