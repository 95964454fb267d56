#pragma once

namespace llm_host {

// How many prompt tokens a turn may read while other sequences decode: as many as take no longer
// than `kMaxGapMs`, the decoding included. Learns from what the turns before took.
class TurnBudget {
 public:
  // The longest that a running stream should wait for its next token because of others' prompts, in
  // milliseconds.
  static constexpr double kMaxGapMs = 100;
  // Prompts go on even where this many tokens take longer.
  static constexpr int kFewest = 16;

  // What the last turn took, in milliseconds.
  void decoded(double ms) { decode_ms_ = ms; }
  void read(int tokens, double ms);

  int tokens() const;

 private:
  static constexpr int kFirst = 32;  // before anything has been measured

  double decode_ms_ = 0;
  double token_ms_ = 0;  // of reading; 0 = not measured yet
};

}  // namespace llm_host
