#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <variant>
#include <vector>

#include "engine/cache/sequence_pool.h"
#include "engine/distributed/decisions.h"
#include "engine/generate/generation.h"
#include "engine/turn_budget.h"

namespace llm_host {

// The generations of one model, several at once, in turns. For the model thread only.
class Scheduler {
 public:
  using Task = std::function<void()>;

  struct Options {
    int parallel = 1;         // generations at once, at least 1
    int chunk = 512;          // prompt tokens a step while nothing else runs
    double max_gap_ms = 100;  // see turn_budget.h
    // Compute every request reproducibly, because it costs nothing; see
    // kernels/base/reproducible.h.
    bool reproducible = false;
    DraftModel* drafts = nullptr;                           // proposes tokens
    std::function<Sequence(const CacheFile&)> read_prefix;  // throws
    std::shared_ptr<Decisions> decisions = nullptr;         // of a model that processes share
  };
  Scheduler(const Model& model, SequencePool& sequences, const Options& options)
      : model_(model), sequences_(sequences), options_(options), budget_(options.max_gap_ms) {}

  void add(std::shared_ptr<Job> job);
  // Runs when all jobs added before are over, and before any that is added later; at once if
  // processes share the model, since it would hold up one of them alone. Must not throw.
  void add(Task task);

  // Runs when there is nothing else to do. Must not throw.
  void add_idle(Task task) { when_idle_.push_back(std::move(task)); }

  // One step of everything that decodes, then as much of the prompts as there is time for; never
  // throws.
  // -> false: there is nothing to do until something is added or an event queue has room again.
  bool turn();

  // For the steps under way, so that the turn's budget knows how long they take, and that what
  // fails behind them does not count as theirs.
  void wait_for_step();

  bool idle() const { return waiting_.empty() && running_.empty() && when_idle_.empty(); }
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Running {
    Running(const Model& model, std::shared_ptr<Job> job, SequencePool::Lease lease,
            Governor& governor, const Options& options, std::string prefix_refusal)
        : job(std::move(job)),
          lease(std::move(lease)),
          generation(model, this->lease.sequence(), *this->job, governor, options.drafts,
                     options.decisions.get()),
          prefix_refusal(std::move(prefix_refusal)) {}

    std::shared_ptr<Job> job;
    SequencePool::Lease lease;
    Generation generation;
    std::string prefix_refusal;
    bool over = false;  // its last event is out
  };

  // Learns what the first of several processes has decided. -> whether this turn can go on
  bool decide();
  bool begins(const Job& job) const {
    return !options_.decisions || options_.decisions->knows(job);
  }
  // Ends those that were cancelled. -> whether there were any
  bool drop_waiting();
  bool drop_running();
  bool admit();
  // Reads the file that has the beginning of a job's prompt, if it has more than the caches have.
  void read_prefix(const Job& job);
  // -> whether all that runs rests in all processes that share the model
  bool rest_together();
  // -> whether there was something for such a time
  bool run_idle();
  bool reproducible(const Job& job) const {
    return job.request.reproducible || options_.reproducible;
  }
  // The sequences that can decode now.
  std::vector<Running*> decoding();
  // Lets them propose tokens, which some wait for their last step to do. -> whether any did
  bool propose(const std::vector<Running*>& rows);
  // Starts the next step of those that have one, with the model's adapters or without.
  void launch(const std::vector<Running*>& rows, bool adapted);
  bool decode();
  // Reads prompts, one after the other: alone a chunk, beside others as much as the turn's budget
  // allows. -> whether there were any
  bool read();
  Running* reading();
  void read(Running& one, int most);
  // Ends a generation if `body` throws.
  void attempt(Running& running, const std::function<void()>& body);
  // Ends a generation if `body` throws, or if it is over after that.
  void step(Running& running, const std::function<void()>& body);
  bool remove_over();

  const Model& model_;
  SequencePool& sequences_;
  const Options options_;
  TurnBudget budget_;
  Governor governor_;
  Pass pass_;  // under way; none if it began before a chunk of a prompt was read
  std::deque<std::variant<std::shared_ptr<Job>, Task>> waiting_;
  std::deque<Task> when_idle_;
  // The job whose prefix was read last, and why it was refused.
  int64_t prefix_job_ = 0;
  std::string prefix_refusal_;
  std::list<Running> running_;  // the oldest first
};

}  // namespace llm_host
