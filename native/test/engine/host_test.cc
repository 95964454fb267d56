#include "engine/host.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "check.h"
#include "tiny_llama.h"

namespace llm_host::host_test {

static const check::Suite suite("host");

namespace {

// A model as the addon uses it, with a thread that waits instead of Node's loop. Promises are
// shared: the thread that sets one may still be inside it when the waiting one has gone on.
class Model {
 public:
  Model() {
    auto done = std::make_shared<std::promise<LoadResult>>();
    LoadHandlers handlers{[this](uint64_t bytes, uint64_t) { read_ = bytes; },
                          [done](LoadResult result) { done->set_value(std::move(result)); }};
    Host::get().load(llama().spec(), std::move(handlers));
    LoadResult result = done->get_future().get();
    if (result.error) throw Error(*result.error);
    id_ = result.model;
  }
  ~Model() { close(); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  int64_t id() const { return id_; }
  uint64_t read() const { return read_; }
  void close() const {
    auto done = std::make_shared<std::promise<void>>();
    Host::get().close(id_, [done] { done->set_value(); });
    done->get_future().wait();
  }

  static const TinyLlama& llama() {
    static const TinyLlama files;
    return files;
  }

 private:
  int64_t id_ = 0;
  std::atomic<uint64_t> read_{0};
};

Request asking(int tokens, std::vector<int32_t> prompt = {1, 2, 3}) {
  Request request;
  request.prompt_ids = std::move(prompt);
  request.max_tokens = tokens;
  return request;
}

// Rung by the model thread when there are events. Shared with it, since it may ring after the last
// event was read.
class Bell {
 public:
  void ring() {
    std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return std::exchange(rung_, false); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

// One job, read by the thread that calls `end`.
class Reader {
 public:
  Reader(const Model& model, Request request)
      : id_(Host::get().start(model.id(), std::move(request),
                              [bell = bell_](bool) { bell->ring(); })) {}

  int64_t id() const { return id_; }
  // Reads all events; `on_events` is called after each reading. -> the last event
  EndEvent end(const std::function<void()>& on_events = [] {}) {
    for (;;) {
      for (Event& event : Host::get().take(id_)) {
        if (auto* token = std::get_if<TokenEvent>(&event)) ids_.push_back(token->id);
        if (auto* error = std::get_if<ErrorEvent>(&event)) throw Error(error->code, error->message);
        if (auto* last = std::get_if<EndEvent>(&event)) return std::move(*last);
      }
      on_events();
      bell_->wait();
    }
  }
  const std::vector<int32_t>& ids() const { return ids_; }

 private:
  std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  std::vector<int32_t> ids_;
  int64_t id_;
};

CacheResult result_of(const std::function<void(CacheHandler)>& ask) {
  auto done = std::make_shared<std::promise<CacheResult>>();
  ask([done](CacheResult result) { done->set_value(std::move(result)); });
  return done->get_future().get();
}

}  // namespace

TEST(a_model_loads_and_generates_the_same_twice) {
  Model model;
  CHECK(model.read() > 0);
  Reader first(model, asking(20)), second(model, asking(20));
  CHECK(first.end().generated_tokens == 20);
  EndEvent end = second.end();
  CHECK(std::string(end.reason) == "length" && end.cached_tokens == 2);
  CHECK(first.ids().size() == 20 && first.ids() == second.ids());
  CHECK(Host::get().take(first.id()).empty());
  CHECK(Host::get().memory().peak_bytes > 0);
}

TEST(many_threads_ask_one_model) {
  Model model;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 6; ++i) {
        Reader reader(model, asking(10, {t, i, 5}));
        EndEvent end = reader.end([] { Host::get().memory(); });
        if (end.generated_tokens == 10 && reader.ids().size() == 10) ++ended;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(ended == 24);
}

TEST(a_job_is_cancelled_from_another_thread_at_any_moment) {
  Model model;
  for (int i = 0; i < 20; ++i) {
    Reader reader(model, asking(300));
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
      Host::get().cancel(reader.id());
      Host::get().cancel(reader.id());
    });
    std::string reason = reader.end().reason;
    CHECK(reason == "cancelled" || reason == "length");
    other.join();
  }
  CHECK_ERROR(kUsage, "never a job", Host::get().cancel(1'000'000));
  CHECK_ERROR(kUsage, "never a job", Host::get().take(1'000'000));
}

TEST(closing_ends_what_nobody_reads) {
  Model model;
  Reader full(model, asking(500)), behind(model, asking(500));
  std::thread other([&] { model.close(); });
  model.close();
  other.join();
  CHECK(std::string(full.end().reason) == "cancelled");
  CHECK(std::string(behind.end().reason) == "cancelled");
  CHECK_ERROR(kEngine, "has been closed", Reader(model, asking(1)));
}

TEST(a_request_out_of_range_and_one_too_many_are_refused) {
  Model model;
  CHECK_ERROR(kUsage, "token id from 0 to 63", Reader(model, asking(1, {64})));
  CHECK_ERROR(kContextFull, "513 tokens", Reader(model, asking(1, std::vector<int32_t>(513, 1))));
  std::vector<int64_t> jobs;
  auto ask = [&] { jobs.push_back(Host::get().start(model.id(), asking(500), [](bool) {})); };
  CHECK_ERROR(kEngine, "64 generations are waiting", for (int i = 0; i < 66; ++i) ask());
  CHECK(jobs.size() >= 64);
}

TEST(a_cache_is_saved_and_a_broken_one_refused) {
  Model model;
  Reader(model, asking(4)).end();
  std::string path = "/tmp/llm-host-cache-" + std::to_string(getpid()) + ".safetensors";
  CacheResult saved = result_of([&](CacheHandler done) {
    Host::get().save_cache(model.id(), {path, "hash"}, std::move(done));
  });
  CHECK(!saved.error && saved.saved.tokens == 6 && saved.saved.bytes > 0);
  CacheResult loaded = result_of(
      [&](CacheHandler done) { Host::get().load_cache(model.id(), {}, std::move(done)); });
  CHECK(loaded.error.has_value());
  std::remove(path.c_str());
}

// Keep this last: the process has only one host.
TEST(shut_down_twice_at_once_with_work_under_way) {
  Model model;
  Reader running(model, asking(500)), waiting(model, asking(500));
  auto done = std::make_shared<std::promise<void>>();
  Host::get().load(Model::llama().spec(),
                   {[](uint64_t, uint64_t) {}, [done](const LoadResult&) { done->set_value(); }});
  std::thread other([] { Host::get().shutdown(); });
  Host::get().shutdown();
  other.join();
  CHECK(std::string(running.end().reason) == "cancelled");
  CHECK(std::string(waiting.end().reason) == "cancelled");
  done->get_future().wait();
  CHECK_ERROR(kEngineUnavailable, "shut down", Reader(model, asking(1)));
  CHECK_ERROR(kEngineUnavailable, "shut down", Host::get().load({}, {}));
}

}  // namespace llm_host::host_test
