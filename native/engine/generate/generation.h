#pragma once

#include <chrono>
#include <optional>

#include "engine/cache/sequence.h"
#include "engine/generate/prefill.h"
#include "engine/generate/step_meter.h"
#include "engine/job/job.h"
#include "models/model.h"
#include "sample/lazy_sampler.h"

namespace llm_host {

// One run of a job over a sequence, a step at a time: reads the prompt, then decodes one step ahead
// of the token that is read. A method that throws leaves a sequence that must not be used again.
class Generation {
 public:
  Generation(const Model& model, Sequence& sequence, Job& job);

  // Tokens of the prompt that are still to be read; 0 while decoding.
  int unread() const { return prefill_ ? prefill_->total() - prefill_->done() : 0; }
  // Reads at most `count` of them in one step, and starts on the first token after the last.
  void read(int count);

  // While decoding, by turns: `advances` plans the next step, if there is to be one. `launch_step`
  // starts it, for several generations together: it gives `add` the logits that the model has after
  // `token`. Then `settle` waits for the token of the step before and reports it.
  bool advances();
  // [1, 1] int32, lazy.
  mx::array token() const;
  Sequence& sequence() { return sequence_; }
  // logits [V]. Adds what is to be computed for the step to `results`.
  void add(const mx::array& logits, std::vector<mx::array>& results);
  void settle();

  // What ends it: "stop", "length", "full" or "cancelled"; null while it runs.
  const char* reason() const { return job_.events.cancelled() ? "cancelled" : reason_; }
  // The job's last event.
  EndEvent end();

  Job& job() { return job_; }
  StepMeter& meter() { return meter_; }

 private:
  using Clock = std::chrono::steady_clock;

  // A step under way: its logits [V] and its token [1], both lazy.
  struct Step {
    mx::array logits;
    mx::array token;
  };

  // Samples token number `index`. logits [V].
  Step sample(const mx::array& logits, int index) const;
  // Waits for the token. Throws MODEL_BROKEN if the logits were not numbers.
  static int32_t id_of(const Step& step);
  void emit(int32_t id, const Step& step);
  // The next length changes the position angles of every token.
  void start_over(int32_t id);

  const Model& model_;
  Sequence& sequence_;
  Job& job_;
  const LazySampler sampler_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  std::optional<Prefill> prefill_;  // until all is read
  std::vector<float> prompt_scores_;
  std::optional<Step> step_;  // under way, or read last
  std::optional<Step> next_;  // launched ahead
  bool restarts_ = false;
  int cached_ = 0;
  int generated_ = 0;
  const char* reason_ = nullptr;
  StepMeter meter_;
};

}  // namespace llm_host
