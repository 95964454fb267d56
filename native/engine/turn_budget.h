#pragma once

namespace llm_host {

// How many prompt tokens a turn may read while other sequences decode: as many as take no longer
// than the longest gap, the decoding included. Learns from what was read before.
class TurnBudget {
 public:
  // Prompts go on even where this many tokens take longer.
  static constexpr int kFewest = 16;

  // `max_gap_ms`: the longest that a running stream should wait for its next token because of
  // others' prompts, in milliseconds.
  explicit TurnBudget(double max_gap_ms) : max_gap_ms_(max_gap_ms) {}

  // A turn begins, and its decoding took so many milliseconds.
  void decoded(double ms) {
    spent_ms_ = ms;
    has_read_ = false;
  }
  // It also waited so long for the step that it has started. Otherwise what is read waits for that,
  // and seems to take longer.
  void waited(double ms) { spent_ms_ += ms; }
  void read(int tokens, double ms);

  // How many more this turn may read; 0 once it has read some and there is no time left.
  int tokens() const;

 private:
  static constexpr int kFirst = 32;  // before anything has been measured

  double max_gap_ms_;
  double spent_ms_ = 0;  // of the turn
  bool has_read_ = false;
  double token_ms_ = 0;  // of reading; 0 = not measured yet
};

}  // namespace llm_host
