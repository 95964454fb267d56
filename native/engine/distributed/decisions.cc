#include "engine/distributed/decisions.h"

#include <algorithm>

namespace llm_host {

Decisions::Decisions(std::shared_ptr<ProcessGroup> group) : group_(std::move(group)) {}

void Decisions::add(std::shared_ptr<Job> job) {
  std::lock_guard lock(jobs_->mutex);
  std::erase_if(jobs_->numbered, [](const auto& entry) { return entry.second->over.load(); });
  jobs_->numbered.emplace_back(++jobs_->come, std::move(job));
}

std::vector<int32_t> Decisions::Jobs::decide() {
  std::lock_guard lock(mutex);
  std::vector<int32_t> decision{come};
  for (const auto& [number, job] : numbered) {
    if (decision.size() > kChanges) break;
    if (job->over) continue;
    if (job->cancel_asked && !job->events.cancelled()) {
      decision.push_back(number);
    } else if (job->rests == job->events.has_room()) {
      decision.push_back(-number);
    }
  }
  return decision;
}

void Decisions::ask() {
  asked_ = group_->said_first(1 + kChanges, [jobs = jobs_] { return jobs->decide(); });
  mx::async_eval(*asked_);
}

bool Decisions::next() {
  if (decision_.empty()) {
    if (!asked_) ask();
    mx::array said = *std::exchange(asked_, std::nullopt);
    said.eval();
    check();
    const auto* numbers = said.data<int32_t>();
    decision_.assign(numbers, numbers + said.size());
  }
  {
    std::lock_guard lock(jobs_->mutex);
    if (decision_[0] > jobs_->come) return false;
  }
  carry_out(std::exchange(decision_, {}));
  return true;
}

void Decisions::carry_out(std::span<const int32_t> decision) {
  std::vector<std::shared_ptr<Job>> cancelled;
  {
    std::lock_guard lock(jobs_->mutex);
    known_ = decision[0];
    for (const auto& [number, job] : jobs_->numbered) {
      for (int32_t change : decision.subspan(1)) {
        if (change == number) cancelled.push_back(job);
        if (change == -number) job->rests = !job->rests;
      }
    }
  }
  for (const auto& job : cancelled) job->events.cancel();
}

bool Decisions::knows(const Job& job) const {
  std::lock_guard lock(jobs_->mutex);
  return std::ranges::any_of(jobs_->numbered, [&](const auto& entry) {
    return entry.second.get() == &job && entry.first <= known_;
  });
}

void Decisions::cancel_asked() {
  std::lock_guard lock(jobs_->mutex);
  known_ = jobs_->come;
  for (const auto& [number, job] : jobs_->numbered) {
    job->rests = false;
    if (job->cancel_asked && !job->over) job->events.cancel();
  }
}

}  // namespace llm_host
