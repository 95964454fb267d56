#include "engine/speculate/prompt_lookup.h"

#include <algorithm>
#include <utility>

namespace llm_host {

void PromptLookup::add(int32_t id) {
  if (cursor_.next >= 0) follow(id);
  text_.push_back(id);
  before_.push_back(-1);
  if (text_.size() < 2) return;
  auto first = static_cast<uint32_t>(text_[text_.size() - 2]);
  uint64_t pair = static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(id);
  auto [place, added] = latest_.try_emplace(pair, last());
  if (added) return;
  before_.back() = place->second;
  place->second = last();
}

void PromptLookup::find() {
  bool guessed = cursor_.match.since == 0;
  int best = -1;
  int longest = guessed ? kShortest - 1 : std::max(cursor_.match.length, kShortest - 1);
  int place = text_.empty() ? -1 : before_.back();
  for (int i = 0; i < kPlaces && place >= 0 && longest < kLongest; ++i) {
    int length = matched(place);
    if (length > longest) {
      best = place;
      longest = length;
    }
    place = before_[static_cast<size_t>(place)];
  }
  if (best >= 0) cursor_ = cursor_at(best + 1, {longest, -1});
  if (cursor_.match.since < 0 && cursor_.match.length < kCopy) rejoin();
}

std::vector<int32_t> PromptLookup::following(int count) const {
  std::vector<int32_t> ids;
  if (cursor_.next < 0) return ids;
  for (Cursor at = cursor_; static_cast<int>(ids.size()) < count; advance(at)) {
    if (at.edit >= 0) {
      ids.push_back(edits_[static_cast<size_t>(at.edit)].to[at.within]);
      continue;
    }
    int beyond = at.next - static_cast<int>(text_.size());
    if (beyond >= static_cast<int>(ids.size())) break;
    ids.push_back(beyond < 0 ? text_[static_cast<size_t>(at.next)]
                             : ids[static_cast<size_t>(beyond)]);
  }
  return ids;
}

void PromptLookup::follow(int32_t id) {
  if (following(1).front() != id) return depart(id);
  bool returning = cursor_.match.since >= 0;
  cursor_.match = cursor_.match.after(1);
  if (returning && cursor_.match.since < 0) learn();
  advance(cursor_);
}

void PromptLookup::depart(int32_t id) {
  Cursor was = std::exchange(cursor_, {});
  if (was.edit >= 0 && was.within == 0) {
    edits_[static_cast<size_t>(was.edit)].score -= 2;
    if (text_[static_cast<size_t>(was.next)] == id) {
      cursor_ = cursor_at(was.next + 1, was.match.after(1));
      return;
    }
  }
  // If it had not returned to the source yet, it has not now.
  if (was.match.since >= 0 || was.match.length < kCopy) return;
  int copy = static_cast<int>(text_.size() - was.within);
  departure_ = {was.next, copy, was.match.length, 0, 0};
}

void PromptLookup::rejoin() {
  int since = static_cast<int>(text_.size()) - departure_.copy;
  if (departure_.source < 0 || since > kGap) return;
  int most = 0, place = -1, end = std::min(departure_.source + kGap, departure_.copy);
  for (int at = departure_.source; at < end; ++at) {
    int count = std::min({matched(at), since, at - departure_.source + 1});
    if (count <= most) continue;
    most = count;
    place = at;
  }
  bool guesses = most == 0 && since == 1 && cursor_.next < 0;
  if (guesses) place = departure_.source;  // one token for another
  if (place < 0) return;
  departure_.source_end = place + 1 - most;
  departure_.copy_end = last() + 1 - most;
  if (guesses) departure_.source_end = place + 1;
  cursor_ = cursor_at(place + 1, Match{departure_.length, 0}.after(most));
}

void PromptLookup::learn() {
  Departure d = std::exchange(departure_, {});
  auto tokens = [&](int begin, int end) {
    return std::vector<int32_t>(text_.begin() + begin, text_.begin() + std::max(begin, end));
  };
  Edit edit{tokens(d.source, d.source_end), tokens(d.copy, d.copy_end), 1};
  if (edit.from.empty() || edit.to.empty()) return;
  auto same = std::find_if(edits_.begin(), edits_.end(),
                           [&](const Edit& other) { return other.from == edit.from; });
  if (same == edits_.end()) {
    if (edits_.size() < kEdits) edits_.push_back(std::move(edit));
  } else if (same->to == edit.to) {
    ++same->score;
  } else if (same - edits_.begin() != cursor_.edit) {
    *same = std::move(edit);
  }
}

void PromptLookup::advance(Cursor& cursor) const {
  if (cursor.edit >= 0) {
    const Edit& edit = edits_[static_cast<size_t>(cursor.edit)];
    if (++cursor.within < edit.to.size()) return;
    cursor.next += static_cast<int>(edit.from.size());
  } else {
    ++cursor.next;
  }
  cursor = cursor_at(cursor.next, cursor.match);
}

PromptLookup::Cursor PromptLookup::cursor_at(int place, const Match& match) const {
  return {place, match, edit_at(place), 0};
}

int PromptLookup::edit_at(int place) const {
  for (size_t i = edits_.size(); i-- > 0;) {
    const Edit& edit = edits_[i];
    if (edit.score <= 0 || place + static_cast<int>(edit.from.size()) > last() + 1) continue;
    if (std::equal(edit.from.begin(), edit.from.end(), text_.begin() + place)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int PromptLookup::matched(int place) const {
  int count = 0, end = last();
  while (count < kLongest && count <= place &&
         text_[static_cast<size_t>(place - count)] == text_[static_cast<size_t>(end - count)]) {
    ++count;
  }
  return count;
}

}  // namespace llm_host
