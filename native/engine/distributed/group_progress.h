#pragma once

#include <cstddef>
#include <cstdint>

namespace llm_host {

// Sums of this process with those that share its model, in all its life.
struct GroupProgress {
  int64_t begun = 0;
  bool waits = false;  // for the others, in the last one
  int64_t bytes = 0;   // of that one
};

// Any thread.
GroupProgress group_progress();

// A sum under way, as long as this exists. One at a time.
class SumUnderWay {
 public:
  explicit SumUnderWay(size_t bytes);
  ~SumUnderWay();
  SumUnderWay(const SumUnderWay&) = delete;
  SumUnderWay& operator=(const SumUnderWay&) = delete;
};

}  // namespace llm_host
