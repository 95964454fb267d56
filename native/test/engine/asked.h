#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"
#include "tiny_llama.h"

// Requests to a tiny model's scheduler, by turns.
namespace llm_host {

using Ids = std::vector<int32_t>;

inline std::unique_ptr<Session> load(int parallel, uint64_t cache_bytes = uint64_t{1} << 30) {
  static const TinyLlama files;
  LoadSpec spec = files.spec();
  spec.parallel = parallel;
  spec.cache_bytes = cache_bytes;
  return Session::load(spec, [](uint64_t, uint64_t) {});
}

// One job with what has been read of it.
class Asked {
 public:
  Asked(
      Scheduler& scheduler, Request request, std::function<void(bool)> on_ready = [](bool) {})
      : job_(std::make_shared<Job>(++last_id(), 1, std::move(request), std::move(on_ready))) {
    scheduler.add(job_);
  }
  Asked(
      Session& session, Request request, std::function<void(bool)> on_ready = [](bool) {})
      : Asked(session.scheduler(), std::move(request), std::move(on_ready)) {}

  Asked& take() {
    for (Event& event : job_->events.take()) {
      if (auto* token = std::get_if<TokenEvent>(&event)) ids.push_back(token->id);
      if (auto* error = std::get_if<ErrorEvent>(&event)) failed = error->message;
      if (auto* end = std::get_if<EndEvent>(&event)) reason = end->reason, last = *end;
    }
    return *this;
  }
  bool over() { return !take().reason.empty() || !failed.empty(); }
  void cancel() { job_->events.cancel(); }

  Ids ids;
  std::string reason, failed;
  EndEvent last;

 private:
  static int64_t& last_id() {
    static int64_t id = 0;
    return id;
  }

  std::shared_ptr<Job> job_;
};

inline Request asking(int tokens, Ids prompt) {
  Request request;
  request.prompt_ids = std::move(prompt);
  request.max_tokens = tokens;
  return request;
}

inline Ids prompt_of(int from, int length) {
  Ids ids;
  for (int i = 0; i < length; ++i) ids.push_back((from * 11 + i * 7 + i * i) % TinyLlama::kVocab);
  return ids;
}

// Runs until `count` turns are over or there is nothing left to do.
inline void run(Session& session, int turns = 1'000'000) {
  for (int i = 0; i < turns && session.scheduler().turn(); ++i);
}

// Without proposals.
inline Ids alone(Request request) {
  request.lookup = Lookup::kOff;
  auto session = load(2);
  Asked asked(*session, request);
  while (session->scheduler().turn()) asked.take();
  return asked.take().ids;
}

}  // namespace llm_host
