#include "engine/scheduler.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/generate/batch_step.h"
#include "engine/runtime.h"
#include "kernels/base/reproducible.h"

namespace llm_host {
namespace {

// A request is admitted if its prompt and this much of its reply fit into memory. Beyond that it
// grows as memory allows.
constexpr int kAdmittedReplyTokens = 256;

// Prompt tokens a turn while other sequences decode, where all processes must read as many.
constexpr int kSharedRead = 64;

// Between two decisions while all that runs rests for slow readers.
constexpr std::chrono::milliseconds kRest{10};

double milliseconds_of(const std::function<void()>& body) {
  auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void finish(Job& job, Event event) {
  job.over = true;
  job.events.finish(std::move(event));
}

void fail(Job& job, const std::exception& exception) {
  Error error = error_of(exception, "generating");
  finish(job, ErrorEvent{error.code(), error.what()});
  try {
    mx::synchronize();
  } catch (const std::exception& later) {
    // The step launched ahead failed too, of others as well.
    error_of(later, "generating");
  }
}

Needs needs_of(const Request& request) { return {request.reproducible, request.adapted}; }

// Tokens of all their replies.
template <typename Rows>
int generated(const Rows& rows) {
  int count = 0;
  for (const auto* row : rows) count += row->generation.generated();
  return count;
}

// Ends a job that never ran.
void finish_cancelled(Job& job) {
  EndEvent end;
  end.reason = "cancelled";
  end.prompt_tokens = static_cast<int>(job.request.prompt_ids.size());
  finish(job, end);
}

}  // namespace

void Scheduler::add(std::shared_ptr<Job> job) {
  if (options_.decisions) options_.decisions->add(job);
  waiting_.emplace_back(std::move(job));
}

void Scheduler::add(Task task) {
  if (options_.decisions) return task();
  waiting_.emplace_back(std::move(task));
}

bool Scheduler::decide() {
  if (waiting_.empty() && running_.empty()) return true;
  Decisions& decisions = *options_.decisions;
  try {
    if (!decisions.next()) return false;
    // While prompts are read, a turn is long: what is cancelled meanwhile must not wait for two.
    bool decoding = !running_.empty() &&
                    std::all_of(running_.begin(), running_.end(),
                                [](const Running& one) { return one.generation.unread() == 0; });
    if (decoding) decisions.ask();
  } catch (const std::exception&) {
    // Without the others nothing that is under way can end.
    decisions.cancel_asked();
    drop_running();
    for (Running& one : running_) attempt(one, [] { throw; });
    remove_over();
  }
  return true;
}

bool Scheduler::turn() {
  if (options_.decisions && !decide()) return false;
  bool left = drop_waiting(), ended = drop_running(), admitted = admit(), decoded = decode();
  bool has_read = read();
  // A job that is new here is begun when it has come everywhere.
  bool unknown = options_.decisions && running_.empty() && !waiting_.empty();
  bool done = left || ended || admitted || decoded || has_read || unknown;
  return done || rest_together() || run_idle();
}

bool Scheduler::rest_together() {
  if (!options_.decisions || running_.empty()) return false;
  // All processes come to the next decision, which may be the one to go on.
  std::this_thread::sleep_for(kRest);
  return true;
}

bool Scheduler::run_idle() {
  if (!waiting_.empty() || !running_.empty() || when_idle_.empty()) return false;
  Task body = std::move(when_idle_.front());
  when_idle_.pop_front();
  body();
  return true;
}

bool Scheduler::drop_waiting() {
  size_t dropped = std::erase_if(waiting_, [](const auto& entry) {
    const auto* job = std::get_if<std::shared_ptr<Job>>(&entry);
    if (job == nullptr || !(*job)->events.cancelled()) return false;
    finish_cancelled(**job);
    return true;
  });
  return dropped > 0;
}

// One prompt is read at a time, so that those behind it can share its beginning.
bool Scheduler::admit() {
  if (waiting_.empty()) return false;
  if (auto* task = std::get_if<Task>(&waiting_.front())) {
    if (!running_.empty()) return false;
    Task body = std::move(*task);
    waiting_.pop_front();
    body();
    return true;
  }
  bool reading = std::any_of(running_.begin(), running_.end(),
                             [](const Running& one) { return one.generation.unread() > 0; });
  if (reading || running_.size() >= static_cast<size_t>(options_.parallel)) return false;
  auto job = std::get<std::shared_ptr<Job>>(waiting_.front());
  if (!begins(*job)) return false;
  const Request& request = job->request;
  int tokens = static_cast<int>(request.prompt_ids.size()) +
               std::min(request.max_tokens, kAdmittedReplyTokens);
  try {
    read_prefix(*job);
    auto lease = sequences_.take(request.prompt_ids, std::min(tokens, model_.info().context_length),
                                 needs_of(request));
    if (!lease) return false;
    waiting_.pop_front();
    lease->sequence().begin(reproducible(*job), needs_of(request));
    running_.emplace_back(model_, job, std::move(*lease), governor_, options_,
                          std::exchange(prefix_refusal_, {}));
  } catch (const std::exception& exception) {
    if (!waiting_.empty() && waiting_.front().index() == 0 &&
        std::get<std::shared_ptr<Job>>(waiting_.front()) == job) {
      waiting_.pop_front();
    }
    fail(*job, exception);
  }
  return true;
}

void Scheduler::read_prefix(const Job& job) {
  // Once: a job without room is tried again every turn.
  if (prefix_job_ == job.id) return;
  prefix_job_ = job.id;
  prefix_refusal_.clear();
  if (!job.request.prefix) return;
  const CacheFile& file = *job.request.prefix;
  const Request& request = job.request;
  int known = sequences_.reusable(request.prompt_ids, needs_of(request));
  if (known >= file.tokens() || !sequences_.could_hold(file.bytes())) return;
  try {
    Sequence sequence = options_.read_prefix(file);
    int usable = sequence.reusable(request.prompt_ids, needs_of(request));
    if (usable != static_cast<int>(sequence.ids.size())) {
      throw Error(kCache, file.path() + ": holds other tokens than the prompt");
    }
    sequences_.put(std::move(sequence));
  } catch (const std::exception& exception) {
    prefix_refusal_ = error_of(exception, "reading a cache file").what();
  }
}

void Scheduler::attempt(Running& running, const std::function<void()>& body) {
  if (running.over) return;
  try {
    body();
  } catch (const std::exception& exception) {
    running.lease.discard();
    fail(*running.job, exception);
    running.over = true;
  }
}

void Scheduler::step(Running& running, const std::function<void()>& body) {
  attempt(running, [&] {
    body();
    if (running.generation.reason() == nullptr) return;
    EndEvent end = running.generation.end();
    end.prefix_refusal = running.prefix_refusal;
    finish(*running.job, std::move(end));
    running.over = true;
  });
}

bool Scheduler::drop_running() {
  for (Running& one : running_) {
    if (one.generation.reason() != nullptr) step(one, [] {});
  }
  return remove_over();
}

std::vector<Scheduler::Running*> Scheduler::decoding() {
  std::vector<Running*> rows;
  for (Running& one : running_) {
    if (one.generation.unread() > 0 || !one.job->has_room()) continue;
    // Whoever came first goes on, even beyond the budget, and makes room by ending.
    if (!one.lease.grow(1, rows.empty())) continue;
    rows.push_back(&one);
  }
  return rows;
}

bool Scheduler::propose(const std::vector<Running*>& rows) {
  bool any = false;
  for (Running* row : rows) {
    step(*row, [&] {
      bool waited = row->generation.propose(static_cast<int>(rows.size()));
      any = any || waited;
    });
  }
  return any;
}

void Scheduler::launch(const std::vector<Running*>& rows, bool adapted) {
  std::vector<Running*> going;
  std::vector<Generation*> generations;
  for (Running* row : rows) {
    if (row->job->request.adapted != adapted) continue;
    attempt(*row, [&] {
      if (!row->generation.advances()) return;
      going.push_back(row);
      generations.push_back(&row->generation);
    });
  }
  if (going.empty()) return;
  try {
    Pass pass = launch_step(model_, generations, options_.decisions.get());
    // The times of two passes cannot be told apart.
    pass_ = pass_.rows == 0 ? pass : Pass{};
  } catch (const std::exception&) {
    for (Running* row : going) attempt(*row, [] { throw; });
  }
}

bool Scheduler::decode() {
  std::vector<Running*> rows = decoding();
  Pass before = std::exchange(pass_, {});
  if (rows.empty()) return false;
  bool waited = false;
  int said = generated(rows);
  double ms = milliseconds_of([&] {
    // Each row must be computed as if alone, beside others and beside what it proposes; so it is
    // alone too.
    cpu::ReproducibleScope scope(true);
    waited = propose(rows);
    for (bool adapted : {true, false}) launch(rows, adapted);
    // Rows cancelled meanwhile too: the launched tokens must be counted in their sequences.
    for (Running* row : rows) {
      step(*row, [&] {
        // A failure in the row before has left no token for this one.
        if (options_.decisions) options_.decisions->check();
        row->generation.settle();
      });
    }
  });
  budget_.decoded(ms);
  // It began when the turn before ended, and has ended now.
  governor_.turned(before, waited, generated(rows) - said, ms);
  remove_over();
  return true;
}

Scheduler::Running* Scheduler::reading() {
  auto found = std::find_if(running_.begin(), running_.end(), [](const Running& one) {
    return one.generation.unread() > 0 && one.job->has_room();
  });
  return found == running_.end() ? nullptr : &*found;
}

void Scheduler::wait_for_step() {
  budget_.waited(milliseconds_of([&] {
    for (Running& one : running_) attempt(one, [&] { one.generation.wait(); });
  }));
  remove_over();
}

bool Scheduler::read() {
  bool alone = std::all_of(running_.begin(), running_.end(), [](const Running& one) {
    return one.generation.unread() > 0 || !one.job->has_room();
  });
  bool any = false, shared = options_.decisions != nullptr;
  // Resting ones have a step too. Failures from here on are the prompt's.
  if (!shared && reading() != nullptr) wait_for_step();
  while (Running* one = reading()) {
    int asked = one->job->request.prefill_chunk;
    int most = asked > 0 ? asked : options_.chunk;
    if (!alone) most = std::min(most, shared ? kSharedRead : budget_.tokens());
    if (most == 0) break;
    bool ends = one->generation.unread() <= most;
    read(*one, most);
    any = true;
    if (alone || !ends || shared) break;
    // The rest of the turn is for the next prompt.
    admit();
  }
  return any;
}

void Scheduler::read(Running& one, int most) {
  int count = std::min(most, one.generation.unread());
  int unread = one.generation.unread();
  pass_ = {};
  cpu::ReproducibleScope scope(reproducible(*one.job));
  double ms = milliseconds_of([&] { step(one, [&] { one.generation.read(count); }); });
  // A checkpoint may have ended it sooner.
  if (!one.over) budget_.read(unread - one.generation.unread(), ms);
  governor_.prompt_read(ms);
  remove_over();
}

bool Scheduler::remove_over() {
  return running_.remove_if([](const Running& one) { return one.over; }) > 0;
}

}  // namespace llm_host
