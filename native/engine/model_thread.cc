#include "engine/model_thread.h"

#include <algorithm>
#include <string>
#include <system_error>

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
  return static_cast<int>(
      std::count_if(commands_.begin(), commands_.end(), [](const Command& command) {
        return std::holds_alternative<GenerateCommand>(command) ||
               std::holds_alternative<CacheCommand>(command);
      }));
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

std::optional<Command> ModelThread::next() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !commands_.empty(); });
  if (commands_.empty()) return std::nullopt;
  Command command = std::move(commands_.front());
  commands_.pop_front();
  return command;
}

void ModelThread::run() {
  try {
    init_runtime();
  } catch (const std::exception& error) {
    // Every load will say so. Nothing may leave this thread: that would end the process.
    broken_ = error_of(error, "starting MLX");
  }
  while (std::optional<Command> command = next()) {
    std::visit(Overloaded{[this](LoadCommand& c) { run_load(std::move(c)); },
                          [this](GenerateCommand& c) { run_job(*c.job); },
                          [this](const CacheCommand& c) { run_cache(c); },
                          [this](const CloseCommand& c) { run_close(c); }},
               *command);
    note_memory();
  }
  sessions_.clear();
  without_errors(leave_runtime);
}

void ModelThread::run_load(LoadCommand command) {
  LoadResult result;
  try {
    if (broken_) throw Error(kEngineUnavailable, broken_->what());
    auto session = Session::load(command.spec, [&](uint64_t done, uint64_t total) {
      if (stopping_) throw Error(kCancelled, "loading was cancelled: the program is ending");
      command.handlers.on_progress(done, total);
    });
    result.model = ++last_model_;
    result.info = session->info();
    sessions_.emplace(result.model, std::move(session));
  } catch (const std::exception& error) {
    result.error = error_of(error, "loading the model");
  }
  command.handlers.on_done(std::move(result));
}

void ModelThread::run_job(Job& job) {
  auto session = sessions_.find(job.model);
  if (session == sessions_.end()) {
    // Closed between start and now: `close` has cancelled the job.
    EndEvent end;
    end.reason = "cancelled";
    end.prompt_tokens = static_cast<int>(job.request.prompt_ids.size());
    job.events.finish(end);
    return;
  }
  session->second->generate(job, [this] { note_memory(); });
}

void ModelThread::run_cache(const CacheCommand& command) {
  CacheResult result;
  try {
    if (stopping_) throw Error(kCancelled, "the program is ending");
    auto session = sessions_.find(command.model);
    if (session == sessions_.end()) throw Error(kEngine, "the model has been closed");
    result.saved = command.body(*session->second);
  } catch (const std::exception& error) {
    result.error = error_of(error, command.doing);
  }
  command.on_done(std::move(result));
}

void ModelThread::run_close(const CloseCommand& command) {
  sessions_.erase(command.model);
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
