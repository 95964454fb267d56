#include "engine/host.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <variant>

#include "engine/job.h"
#include "engine/session.h"

namespace llm_host {
namespace {

struct LoadCommand {
  LoadSpec spec;
  LoadHandlers handlers;
};
struct GenerateCommand {
  std::shared_ptr<Job> job;
};
struct CacheCommand {
  int64_t model;
  std::function<SavedCache(Session&)> body;
  const char* doing;
  CacheHandler on_done;
};
struct CloseCommand {
  int64_t model;
  std::function<void()> on_done;
};
using Command = std::variant<LoadCommand, GenerateCommand, CacheCommand, CloseCommand>;

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace

struct Host::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Command> commands;
  std::unordered_map<int64_t, std::shared_ptr<Job>> jobs;  // until their last event is taken
  std::unordered_map<int64_t, ModelInfo> models;           // open ones
  int64_t last_job = 0;
  int64_t last_model = 0;
  int waiting_jobs = 0;
  std::atomic<bool> stopping{false};
  std::mutex join_mutex;
  std::thread thread;  // never destroyed: see Host
  std::atomic<uint64_t> active_bytes{0}, peak_bytes{0}, cache_bytes{0};

  // Used by the model thread alone.
  std::unordered_map<int64_t, std::unique_ptr<Session>> sessions;

  void send(Command command);  // with the mutex held
  void start_thread();
  // These throw if no more work can be taken for the model, or at all; with the mutex held.
  const ModelInfo& check_open(int64_t model) const;
  void check_room() const;
  void send_cache(CacheCommand command);
  void run();
  void run_load(LoadCommand command);
  void run_job(Job& job);
  void run_cache(const CacheCommand& command);
  void run_close(const CloseCommand& command);
  void note_memory();
};

Host& Host::get() {
  static Host* host = new Host();
  return *host;
}

Host::Host() : state_(new State()) {}

void Host::State::send(Command command) {
  // Before the command is there: it must not be run by a later one's thread, after it was refused.
  if (!thread.joinable()) start_thread();
  commands.push_back(std::move(command));
  wake.notify_one();
}

void Host::State::start_thread() {
  try {
    thread = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw Error(kEngineUnavailable,
                std::string("no thread could be started for the engine: ") + error.what());
  }
}

void Host::load(LoadSpec spec, LoadHandlers handlers) {
  std::lock_guard lock(state_->mutex);
  if (state_->stopping) throw Error(kEngineUnavailable, "the engine has been shut down");
  state_->send(LoadCommand{std::move(spec), std::move(handlers)});
}

const ModelInfo& Host::State::check_open(int64_t model) const {
  if (stopping) throw Error(kEngineUnavailable, "the engine has been shut down");
  auto info = models.find(model);
  if (info == models.end()) throw Error(kEngine, "the model has been closed");
  return info->second;
}

void Host::State::check_room() const {
  if (waiting_jobs < kMaxWaitingJobs) return;
  throw Error(kEngine, std::to_string(kMaxWaitingJobs) + " generations are waiting already");
}

int64_t Host::start(int64_t model, Request request, std::function<void(bool)> on_ready) {
  std::lock_guard lock(state_->mutex);
  check_request(state_->check_open(model), request);
  state_->check_room();
  int64_t id = ++state_->last_job;
  auto job = std::make_shared<Job>(id, model, std::move(request), std::move(on_ready));
  state_->jobs.emplace(id, job);
  ++state_->waiting_jobs;
  state_->send(GenerateCommand{std::move(job)});
  return id;
}

std::vector<Event> Host::take(int64_t id) {
  std::shared_ptr<Job> job;
  {
    std::lock_guard lock(state_->mutex);
    auto it = state_->jobs.find(id);
    if (it == state_->jobs.end()) {
      if (id >= 1 && id <= state_->last_job) return {};
      throw Error(kUsage, "there was never a job " + std::to_string(id));
    }
    job = it->second;
  }
  std::vector<Event> events = job->events.take();
  if (job->events.drained()) {
    std::lock_guard lock(state_->mutex);
    state_->jobs.erase(id);
  }
  return events;
}

void Host::cancel(int64_t id) {
  std::lock_guard lock(state_->mutex);
  auto it = state_->jobs.find(id);
  if (it != state_->jobs.end()) {
    it->second->events.cancel();
  } else if (id < 1 || id > state_->last_job) {
    throw Error(kUsage, "there was never a job " + std::to_string(id));
  }
}

void Host::close(int64_t model, std::function<void()> on_done) {
  {
    std::lock_guard lock(state_->mutex);
    // A second close waits for the first like any command: the order of the queue does it.
    state_->models.erase(model);
    if (!state_->stopping) {
      for (auto& [id, job] : state_->jobs) {
        if (job->model == model) job->events.cancel();
      }
      state_->send(CloseCommand{model, std::move(on_done)});
      return;
    }
  }
  on_done();
}

void Host::State::send_cache(CacheCommand command) {
  std::lock_guard lock(mutex);
  check_open(command.model);
  check_room();
  ++waiting_jobs;
  send(std::move(command));
}

void Host::save_cache(int64_t model, std::string path, std::string model_hash,
                      CacheHandler on_done) {
  auto save = [path = std::move(path), hash = std::move(model_hash)](Session& session) {
    return session.save_cache(path, hash);
  };
  state_->send_cache({model, std::move(save), "saving the cache", std::move(on_done)});
}

void Host::load_cache(int64_t model, CacheFile file, CacheHandler on_done) {
  auto load = [file = std::move(file)](Session& session) { return session.load_cache(file); };
  state_->send_cache({model, std::move(load), "loading the cache", std::move(on_done)});
}

MemoryInfo Host::memory() const {
  return {state_->active_bytes, state_->peak_bytes, state_->cache_bytes};
}

void Host::shutdown() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    for (auto& [id, job] : state_->jobs) job->events.cancel();
    state_->wake.notify_all();
  }
  std::lock_guard lock(state_->join_mutex);
  if (state_->thread.joinable()) state_->thread.join();
}

void Host::State::run() {
  init_runtime();
  for (;;) {
    std::optional<Command> command;
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [this] { return stopping || !commands.empty(); });
      if (commands.empty()) break;
      command.emplace(std::move(commands.front()));
      commands.pop_front();
      if (std::holds_alternative<GenerateCommand>(*command) ||
          std::holds_alternative<CacheCommand>(*command)) {
        --waiting_jobs;
      }
    }
    std::visit(Overloaded{[this](LoadCommand& c) { run_load(std::move(c)); },
                          [this](GenerateCommand& c) { run_job(*c.job); },
                          [this](const CacheCommand& c) { run_cache(c); },
                          [this](const CloseCommand& c) { run_close(c); }},
               *command);
    note_memory();
  }
  sessions.clear();
  leave_runtime();
}

void Host::State::run_load(LoadCommand command) {
  LoadResult result;
  try {
    auto session = Session::load(command.spec, [&](uint64_t done, uint64_t total) {
      if (stopping) throw Error(kCancelled, "loading was cancelled: the program is ending");
      command.handlers.on_progress(done, total);
    });
    std::lock_guard lock(mutex);
    result.model = ++last_model;
    result.info = session->info();
    models.emplace(result.model, session->info());
    sessions.emplace(result.model, std::move(session));
  } catch (const std::exception& error) {
    result.error = error_of(error, "loading the model");
  }
  command.handlers.on_done(std::move(result));
}

void Host::State::run_job(Job& job) {
  auto session = sessions.find(job.model);
  if (session == sessions.end()) {
    // Closed between start and now: `close` has cancelled the job.
    EndEvent end;
    end.reason = "cancelled";
    end.prompt_tokens = static_cast<int>(job.request.prompt_ids.size());
    job.events.finish(end);
    return;
  }
  session->second->generate(job, [this] { note_memory(); });
}

void Host::State::run_cache(const CacheCommand& command) {
  CacheResult result;
  try {
    if (stopping) throw Error(kCancelled, "the program is ending");
    auto session = sessions.find(command.model);
    if (session == sessions.end()) throw Error(kEngine, "the model has been closed");
    result.saved = command.body(*session->second);
  } catch (const std::exception& error) {
    result.error = error_of(error, command.doing);
  }
  command.on_done(std::move(result));
}

void Host::State::run_close(const CloseCommand& command) {
  sessions.erase(command.model);
  free_cached_memory();
  note_memory();
  command.on_done();
}

void Host::State::note_memory() {
  MemoryInfo info = runtime_memory();
  active_bytes = info.active_bytes;
  peak_bytes = info.peak_bytes;
  cache_bytes = info.cache_bytes;
}

}  // namespace llm_host
