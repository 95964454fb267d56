#include "engine/host.h"

#include "engine/distributed/process_group.h"
#include "engine/model_thread.h"
#include "engine/session.h"

namespace llm_host {

Host& Host::get() {
  static Host* host = new Host();
  return *host;
}

Host::Host() : thread_(*new ModelThread()) {}

const ModelInfo& Host::check_open(int64_t model, bool encodes) const {
  if (thread_.stopping()) throw Error(kEngineUnavailable, "the engine has been shut down");
  auto open = models_.find(model);
  if (open == models_.end()) throw Error(kEngine, "the model has been closed");
  if (open->second.encodes == encodes) return open->second.info;
  throw Error(kUsage, encodes ? "the model generates text and does not encode it"
                              : "the model encodes texts and does not generate any");
}

void Host::check_room() const {
  if (thread_.waiting_jobs() < kMaxWaitingJobs) return;
  throw Error(kEngine, std::to_string(kMaxWaitingJobs) + " generations are waiting already");
}

void Host::load(LoadSpec spec, LoadHandlers handlers) {
  std::lock_guard lock(mutex_);
  if (thread_.stopping()) throw Error(kEngineUnavailable, "the engine has been shut down");
  bool shared = spec.group_limit_ms.has_value();
  handlers.on_done = [this, shared, on_done = std::move(handlers.on_done)](LoadResult result) {
    if (!result.error) {
      std::lock_guard lock(mutex_);
      models_.emplace(result.model, OpenModel{result.info, result.encodes, shared});
    }
    on_done(std::move(result));
  };
  thread_.send(LoadCommand{std::move(spec), std::move(handlers)});
}

int64_t Host::start(int64_t model, Request request, std::function<void(bool)> on_ready) {
  std::lock_guard lock(mutex_);
  check_request(check_open(model), request);
  check_room();
  int64_t id = ++last_job_;
  auto job = std::make_shared<Job>(
      id, model, std::move(request), std::move(on_ready), [this] { thread_.wake(); },
      models_.at(model).shared);
  jobs_.emplace(id, job);
  thread_.send(GenerateCommand{std::move(job)});
  return id;
}

int64_t Host::encode(int64_t model, EncodeRequest request, EncodeHandler on_done) {
  std::lock_guard lock(mutex_);
  check_encode_request(check_open(model, true), request);
  if (encodings_.size() >= kMaxEncodings) {
    throw Error(kEngine,
                std::to_string(kMaxEncodings) + " requests to encode texts are waiting already");
  }
  int64_t id = ++last_job_;
  auto forget = [this, id, on_done = std::move(on_done)](EncodeResult result) {
    {
      std::lock_guard lock(mutex_);
      encodings_.erase(id);
    }
    on_done(std::move(result));
  };
  auto job = std::make_shared<EncodeJob>(model, std::move(request), std::move(forget));
  thread_.send(EncodeCommand{job});
  encodings_.emplace(id, std::move(job));
  return id;
}

std::vector<Event> Host::take(int64_t id) {
  std::shared_ptr<Job> job;
  {
    std::lock_guard lock(mutex_);
    auto it = jobs_.find(id);
    if (it == jobs_.end()) {
      if (id >= 1 && id <= last_job_) return {};
      throw Error(kUsage, "there was never a job " + std::to_string(id));
    }
    job = it->second;
  }
  std::vector<Event> events = job->events.take();
  if (job->events.drained()) {
    std::lock_guard lock(mutex_);
    jobs_.erase(id);
  }
  return events;
}

void Host::cancel(int64_t id) {
  std::lock_guard lock(mutex_);
  auto it = jobs_.find(id);
  auto encoding = encodings_.find(id);
  if (it != jobs_.end()) {
    it->second->cancel();
  } else if (encoding != encodings_.end()) {
    encoding->second->cancel();
  } else if (id < 1 || id > last_job_) {
    throw Error(kUsage, "there was never a job " + std::to_string(id));
  }
}

void Host::close(int64_t model, std::function<void()> on_done) {
  {
    std::lock_guard lock(mutex_);
    // A second close is queued behind the first, and so waits for it.
    models_.erase(model);
    if (!thread_.stopping()) {
      for (auto& [id, job] : jobs_) {
        if (job->model == model) job->cancel();
      }
      for (auto& [id, job] : encodings_) {
        if (job->model == model) job->cancel();
      }
      thread_.send(CloseCommand{model, std::move(on_done)});
      return;
    }
  }
  on_done();
}

void Host::abandon(int64_t model) {
  close(model, [] {});
  std::vector<std::shared_ptr<Job>> abandoned;  // freed without the mutex
  std::lock_guard lock(mutex_);
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    bool its_own = it->second->model == model;
    if (its_own) abandoned.push_back(std::move(it->second));
    it = its_own ? jobs_.erase(it) : std::next(it);
  }
}

void Host::abandon_group(const std::string& why) { ProcessGroup::abandon(why); }

void Host::send_cache(CacheCommand command) {
  std::lock_guard lock(mutex_);
  check_open(command.model);
  check_room();
  thread_.send(std::move(command));
}

void Host::save_prefix(int64_t model, std::vector<int32_t> ids, Needs needs, CacheTarget target,
                       CacheHandler on_done) {
  auto save = [ids = std::move(ids), needs, target = std::move(target)](Session& session) {
    return session.save_prefix(ids, needs, target);
  };
  send_cache({model, std::move(save), "saving a prefix", std::move(on_done), true});
}

void Host::save_cache(int64_t model, CacheTarget target, CacheHandler on_done) {
  auto save = [target = std::move(target)](Session& session) { return session.save_cache(target); };
  send_cache({model, std::move(save), "saving the cache", std::move(on_done)});
}

void Host::load_cache(int64_t model, CacheFile file, CacheHandler on_done) {
  auto load = [file = std::move(file)](Session& session) { return session.load_cache(file); };
  send_cache({model, std::move(load), "loading the cache", std::move(on_done)});
}

void Host::probe(ProbeHandler on_done) {
  std::lock_guard lock(mutex_);
  if (thread_.stopping()) throw Error(kEngineUnavailable, "the engine has been shut down");
  thread_.send(ProbeCommand{std::move(on_done)});
}

MemoryInfo Host::memory() const { return thread_.memory(); }

void Host::shutdown() {
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, job] : jobs_) job->events.cancel();
    for (auto& [id, job] : encodings_) job->cancel();
    thread_.stop();
  }
  ProcessGroup::abandon("the program is ending");
  thread_.join();
}

}  // namespace llm_host
