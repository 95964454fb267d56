#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/distributed/process_group.h"
#include "engine/job/job.h"

namespace llm_host {

// The first of the processes that share a model decides for all of them, so that each runs the
// same jobs in the same turns: which jobs have come, which were cancelled, and which rest for their
// slow readers. Jobs are known by their order, which is the same everywhere. For the model thread
// only.
class Decisions {
 public:
  explicit Decisions(std::shared_ptr<ProcessGroup> group);

  void add(std::shared_ptr<Job> job);
  // Waits for the decision about a turn and carries it out. -> false: a job that it knows has not
  // come here yet; call again when one has. Throws ENGINE if the others are gone.
  bool next();
  // Asks for the decision about the next turn, beside what is computed in this one.
  void ask();
  // Whether a job has come everywhere, and may begin.
  bool knows(const Job& job) const;
  // The others are gone: what was asked is done here at once.
  void cancel_asked();

  // Throws ENGINE if the others are gone.
  void check() const { group_->check(); }
  // The first process' x, in all of them.
  mx::array first(const mx::array& x) const { return group_->first(x); }

 private:
  // Changes in one decision; more of them wait for the next.
  static constexpr size_t kChanges = 15;

  // Jobs that are not over, in their order. Shared with the thread that computes.
  struct Jobs {
    std::mutex mutex;
    int come = 0;
    std::vector<std::pair<int, std::shared_ptr<Job>>> numbered;

    std::vector<int32_t> decide();
  };
  void carry_out(std::span<const int32_t> decision);

  std::shared_ptr<ProcessGroup> group_;
  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
  std::optional<mx::array> asked_;
  std::vector<int32_t> decision_;  // that waits for a job; else empty
  int known_ = 0;
};

}  // namespace llm_host
