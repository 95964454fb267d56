#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/speculate/match.h"

namespace llm_host {

// Predicts what follows a text whose end occurred in it before ("prompt lookup
// decoding"): replies often copy from their prompts. Where a long copy departs from its source, it
// is expected to return to it a little later; and what was put in place of some tokens there, to be
// put in place of the same ones again.
class PromptLookup {
 public:
  // Tokens that must have occurred before, at least; and beyond which longer is no better.
  static constexpr int kShortest = 2, kLongest = 32;

  explicit PromptLookup(std::span<const int32_t> text = {}) {
    for (int32_t id : text) add(id);
  }
  void add(int32_t id);

  // Looks for the longest end of the text that occurred before; of equally long ones for the one
  // that has been right so far, else the latest.
  void find();
  // The match that was found; its length is 0 if there is none.
  const Match& match() const { return cursor_.match; }
  // The `count` tokens that are expected next; beyond the end of the text, as if it went on in the
  // same way. At least one if something was found, else none.
  std::vector<int32_t> following(int count) const;

 private:
  // Earlier places to compare at most: in long repetitive texts there are thousands.
  static constexpr int kPlaces = 64;
  // A copy of so many tokens is expected to go on after an edit.
  static constexpr int kCopy = 6;
  // Tokens of an edit at most, in the source and in the copy.
  static constexpr int kGap = 12;
  // Edits that are remembered.
  static constexpr size_t kEdits = 32;

  struct Edit {
    std::vector<int32_t> from, to;  // neither is empty
    int score;                      // it is expected while this is above 0
  };
  // Walks along the source.
  struct Cursor {
    int next = -1;  // the place of the token that is expected, or of an edit; -1: none
    Match match;
    int edit = -1;      // whose tokens are expected in place of the source's; -1: none
    size_t within = 0;  // the one of its tokens that is expected
  };
  // Where the last long copy departed from its source, and where it seems to have returned.
  struct Departure {
    int source = -1;  // the place of the first token that was not copied; -1: none
    int copy = 0;     // of what is there instead
    int length = 0;   // of the copy
    int source_end = 0, copy_end = 0;
  };

  void follow(int32_t id);
  void depart(int32_t id);
  // Looks for the source near the last departure.
  void rejoin();
  // The copy did return.
  void learn();
  void advance(Cursor& cursor) const;
  Cursor cursor_at(int place, const Match& match) const;
  // The edit that is expected there; -1: none.
  int edit_at(int place) const;
  // How many tokens up to the one at `place` are those at the end of the text.
  int matched(int place) const;
  int last() const { return static_cast<int>(text_.size()) - 1; }

  std::vector<int32_t> text_;
  // The latest place of each pair of tokens, by its second one; and for each place the one before
  // it of the same pair; -1: none.
  std::unordered_map<uint64_t, int> latest_;
  std::vector<int> before_;
  Cursor cursor_;
  Departure departure_;
  std::vector<Edit> edits_;  // the latest last
};

}  // namespace llm_host
