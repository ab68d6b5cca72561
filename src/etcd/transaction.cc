#include "etcd/transaction.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "storage/etcd3/messages.h"

namespace keelson::etcd {
namespace {

using storage::etcd3::kOpenEnd;

// Keys in [start, end) as Backend::Range means them.
struct Span {
  std::string start, end;  // an empty end: to the last key
  bool empty = false;
};

Span SpanOf(std::string_view key, std::string_view range_end) {
  std::string start(key);
  if (range_end.empty()) return {.start = start, .end = start + '\0'};
  if (range_end == kOpenEnd) return {.start = std::move(start), .end = ""};
  return {.start = std::move(start), .end = std::string(range_end), .empty = range_end <= key};
}

bool Within(const RangeRequest& r, const Entry& e) {
  return (r.min_mod == 0 || e.mod_revision >= r.min_mod) && (r.max_mod == 0 || e.mod_revision <= r.max_mod) &&
         (r.min_create == 0 || e.create_revision >= r.min_create) &&
         (r.max_create == 0 || e.create_revision <= r.max_create);
}

void Sort(RangeRequest::Target target, bool descending, std::vector<Entry>& entries) {
  const auto order = [target](const Entry& a, const Entry& b) -> std::weak_ordering {
    switch (target) {
      case RangeRequest::Target::kKey: return a.key <=> b.key;
      case RangeRequest::Target::kVersion: return a.version <=> b.version;
      case RangeRequest::Target::kCreate: return a.create_revision <=> b.create_revision;
      case RangeRequest::Target::kMod: return a.mod_revision <=> b.mod_revision;
      case RangeRequest::Target::kValue: return a.value.view() <=> b.value.view();
    }
    return std::weak_ordering::equivalent;
  };
  std::ranges::stable_sort(entries, [&](const Entry& a, const Entry& b) {
    return descending ? order(b, a) < 0 : order(a, b) < 0;
  });
}

bool Compares(const Compare& c, const Entry& e) {
  std::strong_ordering order = std::strong_ordering::equal;
  switch (static_cast<Compare::Target>(c.target)) {
    case Compare::Target::kVersion: order = e.version <=> c.number; break;
    case Compare::Target::kCreate: order = e.create_revision <=> c.number; break;
    case Compare::Target::kMod: order = e.mod_revision <=> c.number; break;
    case Compare::Target::kValue: order = e.value.view() <=> c.value; break;
    case Compare::Target::kLease: order = e.lease <=> c.number; break;
  }
  switch (static_cast<Compare::Result>(c.result)) {
    case Compare::Result::kEqual: return order == 0;
    case Compare::Result::kGreater: return order > 0;
    case Compare::Result::kLess: return order < 0;
    case Compare::Result::kNotEqual: return order != 0;
  }
  return false;
}

Status Corrupt(const std::string& key) {
  return Refusal(Code::kInternal, ("the stored value of " + key + " is damaged").c_str());
}

Result<std::vector<Entry>> Unpacked(std::vector<storage::KeyValue> items) {
  std::vector<Entry> entries;
  entries.reserve(items.size());
  for (storage::KeyValue& item : items) {
    std::string key = item.key;
    auto stored = Unpack(std::move(item));
    if (!stored) return base::Err(Corrupt(key));
    entries.push_back(std::move(stored->entry));
  }
  return entries;
}

}  // namespace

Transaction::Transaction(storage::Backend& backend, const LeaseTable& leases, size_t max_ops)
    : backend_(backend), leases_(leases), max_ops_(max_ops), next_(backend.CurrentRevision() + 1) {}

Result<std::vector<Entry>> Transaction::Read(std::string_view key, std::string_view range_end) const {
  const Span span = SpanOf(key, range_end);
  if (span.empty) return std::vector<Entry>();
  auto read = backend_.Range(span.start, span.end, {});
  if (!read) return base::Err(ToStatus(read.error()));
  auto entries = TRY(Unpacked(std::move(read->items)));
  auto from = written_.lower_bound(span.start);
  const auto to = span.end.empty() ? written_.end() : written_.lower_bound(span.end);
  for (; from != to; ++from) {
    const auto place = std::ranges::lower_bound(entries, from->first, {}, &Entry::key);
    const bool there = place != entries.end() && place->key == from->first;
    if (from->second && there)
      *place = *from->second;
    else if (from->second)
      entries.insert(place, *from->second);
    else if (there)
      entries.erase(place);
  }
  return entries;
}

Result<RangeAnswer> Transaction::Range(const RangeRequest& r) const {
  if (r.key.empty()) return base::Err(EmptyKey());
  if (r.order < 0 || r.order > 2 || r.target < 0 || r.target > 4) return base::Err(InvalidSort());
  const auto target = static_cast<RangeRequest::Target>(r.target);
  const bool sorted = r.order != 0 || target != RangeRequest::Target::kKey;
  const bool descending = static_cast<RangeRequest::Order>(r.order) == RangeRequest::Order::kDescend;
  const bool filtered = r.min_mod != 0 || r.max_mod != 0 || r.min_create != 0 || r.max_create != 0;
  const auto limit = static_cast<size_t>(std::max<int64_t>(r.limit, 0));
  const Span span = SpanOf(r.key, r.range_end);
  RangeAnswer answer;
  if (span.empty) return answer;
  if (r.revision <= 0 && !written_.empty()) {
    answer.entries = TRY(Read(r.key, r.range_end));
    answer.count = static_cast<int64_t>(answer.entries.size());
  } else {
    const size_t enough = r.count_only ? 1 : sorted || filtered ? 0 : limit;
    auto read = backend_.Range(span.start, span.end,
                               {.revision = std::max<Revision>(r.revision, 0), .limit = enough});
    if (!read) return base::Err(ToStatus(read.error()));
    answer.count = read->count;
    answer.more = read->more;
    answer.revision = read->revision;
    if (!r.count_only) answer.entries = TRY(Unpacked(std::move(read->items)));
  }
  if (r.count_only)
    return RangeAnswer{.entries = {}, .more = false, .count = answer.count, .revision = answer.revision};
  if (filtered) std::erase_if(answer.entries, [&](const Entry& e) { return !Within(r, e); });
  if (sorted) Sort(target, descending, answer.entries);
  if (limit > 0 && answer.entries.size() > limit) {
    answer.entries.resize(limit);
    answer.more = true;
  }
  if (r.keys_only)
    for (Entry& e : answer.entries) e.value = {};
  return answer;
}

Result<bool> Transaction::Holds(const Compare& c) const {
  if (c.key.empty()) return base::Err(EmptyKey());
  const auto entries = TRY(Read(c.key, c.range_end));
  if (entries.empty())
    return static_cast<Compare::Target>(c.target) != Compare::Target::kValue && Compares(c, Entry{});
  return std::ranges::all_of(entries, [&](const Entry& e) { return Compares(c, e); });
}

Result<TxnAnswer> Transaction::Run(const TxnRequest& request) {
  const size_t ops = std::max({request.compares.size(), request.success.size(), request.failure.size()});
  if (ops > max_ops_) return base::Err(TooManyOps());
  TxnAnswer answer{.succeeded = true, .answers = {}};
  for (const Compare& compare : request.compares) answer.succeeded = TRY(Holds(compare)) && answer.succeeded;
  for (const Operation& operation : answer.succeeded ? request.success : request.failure)
    answer.answers.push_back(TRY(Apply(operation)));
  return answer;
}

Result<Answer> Transaction::Apply(const Operation& operation) {
  if (const auto* put = std::get_if<PutRequest>(&operation)) return Put(*put);
  if (const auto* erase = std::get_if<DeleteRangeRequest>(&operation)) return DeleteRange(*erase);
  if (const auto* range = std::get_if<RangeRequest>(&operation)) return Answer(TRY(Range(*range)));
  return Answer(TRY(Run(std::get<TxnRequest>(operation))));
}

Result<Answer> Transaction::Put(const PutRequest& request) {
  if (request.key.empty()) return base::Err(EmptyKey());
  if (request.ignore_value && !request.value.empty()) return base::Err(ValueProvided());
  if (request.ignore_lease && request.lease != 0) return base::Err(LeaseProvided());
  const std::string key(request.key);
  if (written_.contains(key)) return base::Err(DuplicateKey());
  const auto found = TRY(Read(key, ""));
  const Entry* const before = found.empty() ? nullptr : &found.front();
  if (!before && (request.ignore_value || request.ignore_lease)) return base::Err(KeyNotFound());
  const LeaseId lease = request.ignore_lease ? before->lease : request.lease;
  if (lease != 0 && !leases_.Has(lease)) return base::Err(LeaseNotFound());
  written_[key] = Entry{.key = key,
                        .value = request.ignore_value ? before->value : request.value,
                        .create_revision = before ? before->create_revision : next_,
                        .mod_revision = next_,
                        .version = before ? before->version + 1 : 1,
                        .lease = lease};
  if (before && before->lease != 0) leases_before_[key] = before->lease;
  PutAnswer answer;
  if (before && request.prev_kv) answer.previous = *before;
  return Answer(std::move(answer));
}

Result<Answer> Transaction::DeleteRange(const DeleteRangeRequest& request) {
  if (request.key.empty()) return base::Err(EmptyKey());
  auto found = TRY(Read(request.key, request.range_end));
  for (const Entry& e : found) {
    // It was put by this very request.
    if (written_.contains(e.key)) return base::Err(DuplicateKey());
    if (e.lease != 0) leases_before_[e.key] = e.lease;
    Delete(e.key);
  }
  DeleteRangeAnswer answer{.deleted = static_cast<int64_t>(found.size()), .previous = {}};
  if (request.prev_kv) answer.previous = std::move(found);
  return Answer(std::move(answer));
}

std::vector<storage::Write> Transaction::Writes() const {
  std::vector<storage::Write> writes;
  writes.reserve(written_.size());
  for (const auto& [key, entry] : written_) {
    storage::Write& write = writes.emplace_back();
    write.key = key;
    if (entry)
      write.value = PackValue(entry->version, entry->lease, leases_.Ttl(entry->lease), entry->value.view());
    else
      write.type = storage::Write::Type::kDelete;
  }
  return writes;
}

void Transaction::TellLeases(LeaseTable& leases) const {
  for (const auto& [key, lease] : leases_before_) leases.Detach(lease, key);
  for (const auto& [key, entry] : written_)
    if (entry && entry->lease != 0) leases.Attach(entry->lease, key);
}

}  // namespace keelson::etcd
