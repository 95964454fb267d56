#include "engine/speculate/speculator.h"

#include <algorithm>
#include <chrono>

namespace llm_host {
namespace {

using Clock = std::chrono::steady_clock;

// So much of the text is read with the first token that is drafted.
constexpr int kFew = 16;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

Speculator::Speculator(Governor& governor, Lookup lookup, std::span<const int32_t> text,
                       std::unique_ptr<Draft> draft)
    : governor_(governor), always_(lookup == Lookup::kAlways), draft_(std::move(draft)) {
  if (lookup != Lookup::kOff) lookup_.emplace(governor, always_, text);
}

void Speculator::read(int length) {
  // While the model does not pay, what it has not read is read when it is tried again.
  if (!draft_ || draft_->most() == 0) return;
  int behind = draft_->behind(length);
  if (behind > 0 && (always_ || governor_.worth_reading(behind))) read_drafts(behind);
}

bool Speculator::read_drafts(int behind) {
  int count = std::min(behind, governor_.most_read());
  auto start = Clock::now();
  draft_->read(count);
  governor_.draft_read(count, milliseconds_since(start));
  return count == behind;
}

void Speculator::add(int32_t id) {
  if (lookup_) lookup_->add(id);
  if (draft_) governor_.noted_draft(draft_->add(id));
}

int Speculator::drafts(int sequences, int most) const {
  most = draft_ ? std::min(most, draft_->most()) : 0;
  if (most <= 0) return 0;
  if (always_) return std::min(most, Governor::kAlways);
  return governor_.worth_drafting(sequences, std::min(most, Governor::kMost), draft_->behind());
}

bool Speculator::promises(int sequences) const {
  return (lookup_ && lookup_->promises(sequences)) || drafts(sequences, Governor::kMost) > 0;
}

std::vector<int32_t> Speculator::propose(int sequences, int most) {
  std::vector<int32_t> ids;
  if (lookup_) ids = lookup_->propose(sequences, most);
  if (!ids.empty()) return ids;
  int count = drafts(sequences, most);
  if (count == 0) return ids;
  // It reads the rest in the next turns.
  int behind = draft_->behind();
  if (behind > kFew && !read_drafts(behind)) return ids;
  auto start = Clock::now();
  ids = draft_->propose(count);
  governor_.drafted(static_cast<int>(ids.size()), milliseconds_since(start));
  return ids;
}

}  // namespace llm_host
