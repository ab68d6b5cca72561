#include "endpoints/list_source.h"

#include <algorithm>
#include <span>
#include <utility>

#include "api/codec/protobuf.h"
#include "base/log.h"
#include "endpoints/decode.h"
#include "endpoints/wire.h"

namespace keelson::endpoints {
namespace {

using net::http::BodySource;
using registry::rest::ListResult;
using registry::rest::Object;

constexpr size_t kChunkBytes = 64 * 1024;
constexpr size_t kChunkSlack = 16 * 1024;  // so that the last item seldom moves the chunk

// An object below this size is cheaper to copy than to send as a slice of its own.
constexpr size_t kShareBytes = 2 * 1024;

// Holds a list's items for the slices that point into them: one count for all.
struct Held final : base::RefCounted<Held> {
  explicit Held(ListResult l) : list(std::move(l)) {}
  const ListResult list;
};

void LogCorrupt(const Object& object) {
  base::Log(base::LogLevel::kError, "stored object does not decode; the answer is cut short",
            {{"key", object.key()}});
}

// Written item by item: JSON and CBOR.
class ItemListSource final : public BodySource {
 public:
  ItemListSource(std::unique_ptr<ObjectFormat> format, ListResult list)
      : format_(std::move(format)), list_(std::move(list)), cbor_(format_->output().media == Media::kCbor) {}

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    size_t given = 0;
    while (given < limit && !done_) {
      base::BufferBuilder chunk(kChunkBytes + kChunkSlack);
      Fill(std::min(kChunkBytes, limit - given), chunk);
      given += chunk.size();
      out.push_back(chunk.Take());
    }
    return done_ ? State::kEnd : State::kMore;
  }

 private:
  void Fill(size_t budget, base::BufferBuilder& chunk) {
    if (!std::exchange(started_, true)) AppendHead(chunk);
    for (; next_ < list_.items.size(); ++next_) {
      if (chunk.size() >= budget) return;
      const Object& object = *list_.items[next_];
      if (!AppendItem(object, chunk)) {
        LogCorrupt(object);
        done_ = true;
        return;
      }
    }
    AppendTail(chunk);
    done_ = true;
  }

  void AppendHead(base::BufferBuilder& chunk) {
    if (cbor_) return format_->AppendCborListHead(list_.items.size(), chunk);
    list_.items.empty() ? format_->AppendEmptyList(Meta(), chunk) : format_->AppendListHead(Meta(), chunk);
  }
  bool AppendItem(const Object& object, base::BufferBuilder& chunk) {
    if (cbor_) return format_->AppendCborItem(object.message(), chunk);
    if (next_ > 0) chunk.Append(',');
    return format_->AppendJsonItem(object.message(), chunk);
  }
  void AppendTail(base::BufferBuilder& chunk) {
    if (cbor_) return format_->AppendCborListTail(Meta(), chunk);
    if (!list_.items.empty()) chunk.Append(ObjectFormat::ListTail());
    chunk.Append('\n');
  }
  std::string Meta() const {
    return ListMetaJson(list_.revision, list_.continue_token, list_.remaining, format_->lists_custom());
  }

  const std::unique_ptr<ObjectFormat> format_;
  const ListResult list_;
  const bool cbor_;
  size_t next_ = 0;
  bool started_ = false;
  bool done_ = false;
};

// The items of a protobuf list: the stored messages, their metadata alone, or what they are
// in another version.
class ProtobufItems {
 public:
  ProtobufItems(const ObjectFormat& format, std::span<const Object* const> objects)
      : objects_(objects), partial_(format.output().target != Target::kNone) {
    if (partial_ ? !format.edits_metadata() : !format.converts()) return;
    converted_.reserve(objects.size());
    for (const Object* object : objects) {
      base::BufferBuilder made;
      if (partial_) {
        const std::string_view metadata = format.PartialMetadata(object->message(), made);
        if (made.size() == 0) made.Append(metadata);
      } else if (!format.Served(object->message(), made)) {
        LogCorrupt(*object);
      }
      converted_.push_back(made.Take());
    }
  }
  // PartialObjectMetadata is {1: metadata}.
  size_t Size(size_t i) const { return partial_ ? wire::BytesSize(1, Bytes(i).size()) : Bytes(i).size(); }
  void AppendHead(size_t i, base::BufferBuilder& out) const {
    if (partial_) wire::AppendBytesHead(1, Bytes(i).size(), out);
  }
  std::string_view Bytes(size_t i) const {
    if (!converted_.empty()) return converted_[i].view();
    return partial_ ? ObjectFormat::MetadataOf(objects_[i]->message()) : objects_[i]->message();
  }
  // Bytes(i) that live as long as `held` or by themselves.
  template <class Holder>
  base::Slice Share(size_t i, const Holder& held) const {
    return converted_.empty() ? base::Slice::Share(Bytes(i), held) : converted_[i];
  }

 private:
  const std::span<const Object* const> objects_;
  const bool partial_;
  std::vector<base::Slice> converted_;
};

class ProtobufListSource final : public BodySource {
 public:
  ProtobufListSource(std::unique_ptr<ObjectFormat> format, ListResult list)
      : held_(new Held(std::move(list))), items_(*format, held_->list.items) {
    base::BufferBuilder meta;
    AppendListMeta(meta);
    size_t raw_size = wire::BytesSize(kMetadata, meta.size());
    for (size_t i = 0; i < held_->list.items.size(); ++i) raw_size += wire::BytesSize(kItems, items_.Size(i));
    const api::ResourceDesc& resource = format->resource();
    base::BufferBuilder head;
    if (format->output().target == Target::kNone) {
      api::protobuf::AppendEnvelopeHead(GroupVersionString(resource.group, resource.version),
                                        resource.list_kind, raw_size, head);
    } else {
      api::protobuf::AppendEnvelopeHead("meta.k8s.io/" + format->output().target_version,
                                        "PartialObjectMetadataList", raw_size, head);
    }
    size_ = head.size() + raw_size + api::protobuf::EnvelopeTail().size();
    wire::AppendBytes(kMetadata, meta.view(), head);
    head_ = head.Take();
  }

  std::optional<uint64_t> Size() const override { return size_; }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    size_t given = head_.size();
    if (!head_.empty()) out.push_back(std::exchange(head_, {}));
    base::BufferBuilder chunk;
    auto flush = [&] {
      if (chunk.size()) out.push_back(chunk.Take());
    };
    for (; next_ < held_->list.items.size(); ++next_) {
      if (given >= limit) {
        flush();
        return State::kMore;
      }
      std::string_view bytes = items_.Bytes(next_);
      size_t before = chunk.size();
      wire::AppendBytesHead(kItems, items_.Size(next_), chunk);
      items_.AppendHead(next_, chunk);
      if (bytes.size() < kShareBytes) {
        chunk.Append(bytes);
        given += chunk.size() - before;
      } else {
        given += chunk.size() - before + bytes.size();
        flush();
        out.push_back(items_.Share(next_, held_));
      }
      if (chunk.size() >= kChunkBytes) flush();
    }
    chunk.Append(api::protobuf::EnvelopeTail());
    flush();
    return State::kEnd;
  }

 private:
  // Of every list message, and of ListMeta.
  static constexpr uint32_t kMetadata = 1, kItems = 2;
  static constexpr uint32_t kSelfLink = 1, kResourceVersion = 2, kContinue = 3, kRemaining = 4;

  void AppendListMeta(base::BufferBuilder& out) const {
    const ListResult& list = held_->list;
    wire::AppendBytes(kSelfLink, "", out);
    wire::AppendBytes(kResourceVersion, list.revision > 0 ? std::to_string(list.revision) : "", out);
    wire::AppendBytes(kContinue, list.continue_token, out);
    if (list.remaining) wire::AppendInt(kRemaining, *list.remaining, out);
  }

  const base::IntrusivePtr<Held> held_;
  const ProtobufItems items_;  // into held_
  base::Slice head_;           // until it is sent
  uint64_t size_ = 0;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<BodySource> ItemList(std::unique_ptr<ObjectFormat> format, ListResult list) {
  return std::make_unique<ItemListSource>(std::move(format), std::move(list));
}

std::unique_ptr<BodySource> ProtobufList(std::unique_ptr<ObjectFormat> format, ListResult list) {
  return std::make_unique<ProtobufListSource>(std::move(format), std::move(list));
}

std::string DrainToString(BodySource& source) {
  std::string text;
  for (BodySource::State state = BodySource::State::kMore; state == BodySource::State::kMore;) {
    std::vector<base::Slice> slices;
    state = source.Next(kChunkBytes, slices);
    for (const base::Slice& slice : slices) text.append(slice.view());
  }
  return text;
}

}  // namespace keelson::endpoints
