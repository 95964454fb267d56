#include "engine/model_thread.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "engine/device/autorelease_pool.h"
#include "engine/encoder_session.h"
#include "engine/session.h"

namespace llm_host {
namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
// Clang before 17 does not deduce it.
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

// For what is no part of any command: MLX may fail in it where the device does, and whoever waits
// for a result hears of that from the next command.
template <typename F>
void without_errors(F&& body) {
  try {
    body();
  } catch (const std::exception&) {
  }
}

bool waits_for_model(const Command& command) {
  return std::holds_alternative<GenerateCommand>(command) ||
         std::holds_alternative<CacheCommand>(command);
}

}  // namespace

ModelThread::ModelThread() = default;

void ModelThread::send(Command command) {
  std::lock_guard lock(mutex_);
  // Before the command is queued: if this throws, no thread may run it later.
  if (!thread_.joinable()) start();
  commands_.push_back(std::move(command));
  wake_.notify_one();
}

void ModelThread::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw Error(kEngineUnavailable,
                std::string("no thread could be started for the engine: ") + error.what());
  }
}

int ModelThread::waiting_jobs() const {
  std::lock_guard lock(mutex_);
  return scheduled_ +
         static_cast<int>(std::count_if(commands_.begin(), commands_.end(), waits_for_model));
}

void ModelThread::wake() {
  std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void ModelThread::stop() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
}

void ModelThread::join() {
  std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

std::optional<Command> ModelThread::next(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) wake_.wait(lock, [this] { return stopping_ || woken_ || !commands_.empty(); });
  woken_ = false;
  if (commands_.empty()) return std::nullopt;
  Command command = std::move(commands_.front());
  commands_.pop_front();
  if (waits_for_model(command)) ++scheduled_;
  return command;
}

void ModelThread::run() {
  try {
    init_runtime();
  } catch (const std::exception& error) {
    // Every load will say so. Nothing may leave this thread: that would end the process.
    broken_ = error_of(error, "starting MLX");
  }
  for (bool busy = false; busy || !finished();) {
    AutoreleasePool pool;
    for (bool wait = !busy; std::optional<Command> command = next(wait); wait = false) {
      run_command(*command);
    }
    busy = turn();
    note_memory();
  }
  sessions_.clear();
  encoders_.clear();
  without_errors(leave_runtime);
}

void ModelThread::run_command(Command& command) {
  std::visit(Overloaded{[this](LoadCommand& c) { run_load(std::move(c)); },
                        [this](GenerateCommand& c) { run_job(std::move(c.job)); },
                        [this](EncodeCommand& c) { run_encode(std::move(c.job)); },
                        [this](CacheCommand& c) { run_cache(std::move(c)); },
                        [this](const ProbeCommand& c) { run_probe(c); },
                        [this](const CloseCommand& c) { run_close(c); }},
             command);
}

bool ModelThread::turn() {
  bool busy = false;
  if (!wired_ && !all_idle()) wired_.emplace(limits_.wired);
  for (auto& [id, session] : sessions_) busy = session->scheduler().turn() || busy;
  for (auto& [id, encoder] : encoders_) busy = encoder->turn() || busy;
  if (all_idle()) wired_.reset();
  count_scheduled();
  return busy;
}

void ModelThread::count_scheduled() {
  size_t waiting = 0;
  for (auto& [id, session] : sessions_) waiting += session->scheduler().waiting();
  scheduled_ = static_cast<int>(waiting);
}

bool ModelThread::finished() {
  std::lock_guard lock(mutex_);
  return stopping_ && commands_.empty() && all_idle();
}

bool ModelThread::all_idle() const {
  return std::all_of(sessions_.begin(), sessions_.end(),
                     [](const auto& entry) { return entry.second->scheduler().idle(); }) &&
         std::all_of(encoders_.begin(), encoders_.end(),
                     [](const auto& entry) { return entry.second->idle(); });
}

void ModelThread::run_load(LoadCommand command) {
  LoadResult result;
  try {
    if (broken_) throw Error(kEngineUnavailable, broken_->what());
    bool wires = wires_memory();
    for (auto& [id, session] : sessions_) session->scheduler().wait_for_step();
    auto progress = [&](uint64_t done, uint64_t total) {
      if (stopping_) throw Error(kCancelled, "loading was cancelled: the program is ending");
      command.handlers.on_progress(done, total);
    };
    open(command.spec, progress, result);
    limits_ = memory_limits(device_memory(), mx::get_active_memory(), wires);
    if (limits_.cache) mx::set_cache_limit(*limits_.cache);
  } catch (const std::exception& error) {
    result.error = error_of(error, "loading the model");
  }
  command.handlers.on_done(std::move(result));
}

void ModelThread::open(const LoadSpec& spec,
                       const std::function<void(uint64_t, uint64_t)>& progress,
                       LoadResult& result) {
  result.encodes = spec.encoder.has_value();
  if (result.encodes) {
    auto encoder = EncoderSession::load(spec, progress);
    result.info = encoder->info();
    encoders_.emplace(++last_model_, std::move(encoder));
  } else {
    auto session = Session::load(spec, progress);
    result.info = session->info();
    sessions_.emplace(++last_model_, std::move(session));
  }
  result.model = last_model_;
}

void ModelThread::run_job(std::shared_ptr<Job> job) {
  auto session = sessions_.find(job->model);
  if (session != sessions_.end()) return session->second->scheduler().add(std::move(job));
  // Closed between start and now: `close` has cancelled the job.
  EndEvent end;
  end.reason = "cancelled";
  end.prompt_tokens = static_cast<int>(job->request.prompt_ids.size());
  job->events.finish(end);
}

void ModelThread::run_encode(std::shared_ptr<EncodeJob> job) {
  auto encoder = encoders_.find(job->model);
  if (encoder != encoders_.end()) return encoder->second->add(std::move(job));
  job->fail(Error(kCancelled, "encoding the texts was cancelled: the model has been closed"));
}

void ModelThread::run_cache(CacheCommand command) {
  auto found = sessions_.find(command.model);
  Session* session = found == sessions_.end() ? nullptr : found->second.get();
  bool when_idle = command.when_idle;
  auto task = [this, session, command = std::move(command)] {
    CacheResult result;
    try {
      if (stopping_) throw Error(kCancelled, "the program is ending");
      if (session == nullptr) throw Error(kEngine, "the model has been closed");
      result.saved = command.body(*session);
    } catch (const std::exception& error) {
      result.error = error_of(error, command.doing);
    }
    command.on_done(std::move(result));
  };
  if (session == nullptr) return task();
  if (when_idle) return session->scheduler().add_idle(std::move(task));
  session->scheduler().add(Scheduler::Task(std::move(task)));
}

void ModelThread::run_probe(const ProbeCommand& command) {
  ProbeResult result;
  try {
    if (broken_) throw Error(kEngineUnavailable, broken_->what());
    result.report = probe_device();
    result.report.device = device_text();
  } catch (const std::exception& error) {
    result.error = error_of(error, "trying the device");
  }
  command.on_done(std::move(result));
}

void ModelThread::run_close(const CloseCommand& command) {
  if (auto session = sessions_.find(command.model); session != sessions_.end()) {
    // Its jobs have been cancelled.
    while (session->second->scheduler().turn());
    sessions_.erase(session);
    count_scheduled();
  }
  if (auto encoder = encoders_.find(command.model); encoder != encoders_.end()) {
    while (encoder->second->turn());
    encoders_.erase(encoder);
  }
  without_errors(free_cached_memory);
  note_memory();
  command.on_done();
}

void ModelThread::note_memory() {
  without_errors([this] {
    MemoryInfo info = runtime_memory();
    active_bytes_ = info.active_bytes;
    peak_bytes_ = info.peak_bytes;
    cache_bytes_ = info.cache_bytes;
  });
}

}  // namespace llm_host
