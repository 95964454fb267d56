#include "engine/speculate/speculator.h"

#include <algorithm>
#include <chrono>

namespace llm_host {

Speculator::Speculator(Governor& governor, Lookup lookup, std::span<const int32_t> text,
                       std::unique_ptr<Draft> draft)
    : governor_(governor), always_(lookup == Lookup::kAlways), draft_(std::move(draft)) {
  if (lookup != Lookup::kOff) lookup_.emplace(governor, always_, text);
}

void Speculator::read(int length) {
  // While the model does not pay, what it has not read is read when it is tried again.
  if (draft_ && (always_ || governor_.worth_drafting(1, Governor::kMost) > 0)) draft_->read(length);
}

void Speculator::add(int32_t id) {
  if (lookup_) lookup_->add(id);
  if (draft_) governor_.noted_draft(draft_->add(id));
}

int Speculator::drafts(int sequences, int most) const {
  if (!draft_) return 0;
  if (always_) return std::min(most, Governor::kAlways);
  return governor_.worth_drafting(sequences, std::min(most, Governor::kMost));
}

bool Speculator::promises(int sequences) const {
  return (lookup_ && lookup_->promises(sequences)) || drafts(sequences, Governor::kMost) > 0;
}

std::vector<int32_t> Speculator::propose(int sequences, int most) {
  std::vector<int32_t> ids;
  if (lookup_) ids = lookup_->propose(sequences, most);
  int count = drafts(sequences, most);
  if (!ids.empty() || count <= 0) return ids;
  auto start = std::chrono::steady_clock::now();
  ids = draft_->propose(count);
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  governor_.drafted(static_cast<int>(ids.size()), took.count());
  return ids;
}

}  // namespace llm_host
