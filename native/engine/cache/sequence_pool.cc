#include "engine/cache/sequence_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace llm_host {

SequencePool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), row_(other.row_), broken_(other.broken_) {}

SequencePool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->release(row_, broken_);
}

bool SequencePool::Lease::grow(int tokens, bool anyway) {
  return pool_->grow(*row_, tokens, anyway);
}

SequencePool::SequencePool(std::function<ModelCache()> new_cache, uint64_t budget)
    : new_cache_(std::move(new_cache)), budget_(budget) {}

SequencePool::Rows::iterator SequencePool::add(Sequence sequence) {
  rows_.push_back({std::move(sequence)});
  return std::prev(rows_.end());
}

Sequence& SequencePool::latest() {
  if (rows_.empty()) add(Sequence(new_cache_()));
  return rows_.back().sequence;
}

uint64_t SequencePool::bytes() const {
  uint64_t bytes = 0;
  for (const Row& row : rows_) bytes += row.bytes();
  return bytes;
}

bool SequencePool::any_in_use() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.in_use; });
}

SequencePool::Source SequencePool::source_of(std::span<const int32_t> prompt, const Needs& needs) {
  if (rows_.empty()) add(Sequence(new_cache_()));
  auto best = rows_.begin();
  int longest = -1;
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    int length = row->sequence.reusable(prompt, needs);
    // Among equals one that is not in use wins, and among those the most recently used.
    if (length > longest || (length == longest && !row->in_use)) {
      best = row;
      longest = length;
    }
  }
  int discarded = static_cast<int>(best->sequence.ids.size()) - longest;
  return {best, longest, !best->in_use && (budget_ == 0 || discarded <= kSlack)};
}

std::optional<SequencePool::Lease> SequencePool::take(std::span<const int32_t> prompt, int tokens,
                                                      const Needs& needs) {
  Source source = source_of(prompt, needs);
  const ModelCache& old = source.row->sequence.cache;
  uint64_t needed = source.in_place ? old.bytes_after(std::max(0, tokens - old.length()))
                                    : new_cache_().bytes_after(tokens);
  uint64_t more = source.in_place ? needed - old.bytes() : needed;
  auto kept = source.in_place || source.length > 0 ? source.row : rows_.end();
  if (any_in_use() && !could_make_room(more, kept)) return std::nullopt;
  make_room(more, kept);
  auto row = source.row;
  if (source.in_place) {
    rows_.splice(rows_.end(), rows_, row);
  } else {
    row = add(source.length > 0 ? source.row->sequence.fork(new_cache_(), prompt)
                                : Sequence(new_cache_()));
  }
  row->in_use = true;
  row->reserved = needed;
  make_room(0, row);
  return Lease(*this, row);
}

int SequencePool::reusable(std::span<const int32_t> prompt, const Needs& needs) const {
  int longest = 0;
  for (const Row& row : rows_) {
    longest = std::max(longest, row.sequence.reusable(prompt, needs));
  }
  return longest;
}

const Sequence* SequencePool::holder(std::span<const int32_t> ids, const Needs& needs) const {
  std::vector<int32_t> prompt(ids.begin(), ids.end());
  prompt.push_back(-1);
  for (const Row& row : rows_) {
    if (row.sequence.reusable(prompt, needs) == static_cast<int>(ids.size())) {
      return &row.sequence;
    }
  }
  return nullptr;
}

bool SequencePool::put(Sequence sequence) {
  uint64_t bytes = sequence.bytes();
  if (!could_make_room(bytes, rows_.end())) return false;
  make_room(bytes, rows_.end());
  add(std::move(sequence));
  return true;
}

bool SequencePool::grow(Row& row, int tokens, bool anyway) {
  const ModelCache& cache = row.sequence.cache;
  uint64_t grown = row.sequence.bytes() + cache.bytes_after(tokens) - cache.bytes();
  if (grown <= row.bytes()) return true;
  uint64_t more = grown - row.bytes();
  if (!anyway && !could_make_room(more, rows_.end())) return false;
  make_room(more, rows_.end());
  row.reserved = grown;
  return true;
}

bool SequencePool::could_make_room(uint64_t more, Rows::iterator kept) {
  uint64_t total = more;
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    if (row->in_use || row == kept) total += row->bytes();
  }
  return could_hold(total);
}

void SequencePool::make_room(uint64_t more, Rows::iterator kept) {
  uint64_t total = bytes() + more;
  for (auto row = rows_.begin(); row != rows_.end();) {
    auto next = std::next(row);
    if (budget_ > 0 && total <= budget_) return;
    if (!row->in_use && row != kept) {
      total -= row->bytes();
      rows_.erase(row);
    }
    row = next;
  }
}

void SequencePool::release(Rows::iterator row, bool broken) {
  row->in_use = false;
  row->reserved = 0;
  if (broken) {
    rows_.erase(row);
  } else {
    rows_.splice(rows_.end(), rows_, row);
    make_room(0, row);
  }
}

}  // namespace llm_host
