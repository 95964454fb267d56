#pragma once

#include <chrono>
#include <optional>

#include "engine/cache/sequence.h"
#include "engine/device/device_failures.h"
#include "engine/distributed/decisions.h"
#include "engine/generate/prefill.h"
#include "engine/generate/step_meter.h"
#include "engine/job/job.h"
#include "engine/speculate/speculator.h"
#include "models/model.h"
#include "sample/lazy_sampler.h"

namespace llm_host {

// One run of a job over a sequence, a step at a time: reads the prompt, then decodes one step ahead
// of the token that is read. A method that throws leaves a sequence that must not be used again.
class Generation {
 public:
  // `drafts` may be null: it proposes tokens besides those that are looked up. So may `decisions`,
  // of a model that processes share.
  Generation(const Model& model, Sequence& sequence, Job& job, Governor& governor,
             DraftModel* drafts = nullptr, Decisions* decisions = nullptr);

  // Tokens of the prompt that are still to be read; 0 while decoding.
  int unread() const { return prefill_ ? prefill_->total() - prefill_->done() : 0; }
  // Reads at most `count` of them in one step, and starts on the first token after the last.
  void read(int count);

  // While decoding, by turns of `sequences` generations: `propose` finds tokens that may come next,
  // which the step then verifies beside the token that is due. For that it waits for the step under
  // way and reports its tokens; otherwise that is left to `settle`. -> whether it did
  bool propose(int sequences);
  // Plans the next step, if there is to be one. `launch_step` starts it, for several generations
  // together: it gives `add` the logits that the model has after each token of `input`, and the
  // tokens that are drawn from them by `draw`. Then `settle` waits for the token of the step before
  // and reports it.
  bool advances();
  int rows() const { return 1 + static_cast<int>(proposed_.size()); }
  // [1, rows] int32, lazy.
  mx::array input() const;
  Sequence& sequence() { return sequence_; }
  LazySampler::Draw draw() const;
  // logits [rows, V] float32, tokens [rows]. Adds what is to be computed for the step to `results`.
  void add(const mx::array& logits, const mx::array& tokens, int sequences,
           std::vector<mx::array>& results);
  void settle();
  // Waits for the step under way.
  void wait();

  // The reason it ended: "stop", "length", "full" or "cancelled"; null while it runs.
  const char* reason() const { return job_.events.cancelled() ? "cancelled" : reason_; }
  // The job's last event.
  EndEvent end();

  // Tokens of the reply so far.
  int generated() const { return generated_; }
  Job& job() { return job_; }
  StepMeter& meter() { return meter_; }

 private:
  using Clock = std::chrono::steady_clock;

  // A step under way: its logits [rows, V] and its tokens [rows], both lazy. They follow the token
  // that was due and those `proposed`, and count as long as they are what was proposed.
  struct Step {
    mx::array logits;
    mx::array tokens;
    std::vector<int32_t> proposed;
    uint64_t failures = DeviceFailures::told();  // before it was launched
    bool computed = false;                       // and nothing failed
  };

  // Prefill::step, with the model's adapters or without.
  mx::array step_prefill(int count);
  // Throws what failed while it was under way, in whatever pass.
  void wait_for(Step& step);
  // Waits for the tokens that count. Throws MODEL_BROKEN if the logits were not numbers.
  std::vector<int32_t> ids_of(Step& step);
  // Waits for the tokens under way, reports them, and forgets proposed ones that were wrong.
  void report();
  void emit(int32_t id, const Step& step, int row);
  // Tokens that may be proposed for the next step, at most.
  int most_proposed() const;
  // The last token into the cache, where a step launched ahead would have put it.
  void append_last();
  // There is no next step, or not yet.
  void conclude();
  // The next length changes the position angles of every token.
  void start_over();

  const Model& model_;
  Sequence& sequence_;
  Job& job_;
  Decisions* decisions_;
  const LazySampler sampler_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point first_token_{};
  Clock::time_point last_token_{};
  std::optional<Prefill> prefill_;  // until all is read
  std::vector<float> prompt_scores_;
  std::optional<Step> step_;  // under way
  std::optional<Step> next_;  // launched ahead
  int32_t last_id_ = -1;      // reported last
  // If it proposes tokens; they are looked up in what has been reported.
  std::optional<Speculator> speculator_;
  std::vector<int32_t> proposed_;  // for the next step
  bool waited_ = false;            // in this turn: nothing is under way, and `last_id_` is due
  bool restarts_ = false;
  int cached_ = 0;
  int generated_ = 0;
  const char* reason_ = nullptr;
  DecodingStats decoding_;
  StepMeter meter_;
};

}  // namespace llm_host
