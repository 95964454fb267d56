#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "engine/cache/sequence.h"
#include "engine/job.h"
#include "engine/prefill.h"
#include "engine/step_meter.h"
#include "models/model.h"
#include "sample/lazy_sampler.h"

namespace llm_host {

// One run of a job over a sequence: prefill, then decode one step ahead of the token that is read.
class Generation {
 public:
  // `chunk`: prompt tokens a step. `on_step` is called after each step.
  Generation(const Model& model, Sequence& sequence, Job& job, int chunk,
             const std::function<void()>& on_step);

  // Pushes every event but the last, which it returns. May throw; the sequence's cache must not be
  // used after that.
  EndEvent run();

 private:
  using Clock = std::chrono::steady_clock;

  // A step under way: its logits [V] and its token [1], both lazy.
  struct Step {
    mx::array logits;
    mx::array token;
  };

  void decode();
  // Launches the step after `step`; nothing if cancelled before that.
  std::optional<Step> advance(const Step& step);
  // The same where the new length changes the position angles of every token: reads them all again.
  std::optional<Step> start_over(const Step& step);
  // Waits for the token. Throws MODEL_BROKEN if the logits were not numbers.
  static int32_t id_of(const Step& step);
  // Samples token number `index` from the last position of `hidden`, and starts computing it.
  Step launch(const mx::array& hidden, int index);
  void emit(int32_t id, const Step& step);
  EndEvent end() const;

  const Model& model_;
  Sequence& sequence_;
  Job& job_;
  const int chunk_;
  const std::function<void()>& on_step_;
  const LazySampler sampler_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  Prefill prefill_;
  int generated_ = 0;
  const char* reason_ = "cancelled";
  StepMeter meter_;
};

}  // namespace llm_host
