#include "engine/distributed/decisions.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "asked.h"
#include "check.h"
#include "engine/runtime.h"
#include "kernels/base/cpu_op.h"
#include "mlx/distributed/distributed_impl.h"
#include "mlx/scheduler.h"

namespace llm_host::decisions_test {

static const check::Suite suite("decisions", init_runtime);

namespace {

// The other one of two processes: adds its numbers to each sum, or is gone.
class Other : public mx::distributed::detail::GroupImpl {
 public:
  explicit Other(int rank) : rank_(rank) {}

  mx::Stream communication_stream(mx::StreamOrDevice) override { refuse(); }
  int rank() override { return rank_; }
  int size() override { return 2; }
  std::shared_ptr<GroupImpl> split(int, int) override { refuse(); }
  void all_sum(const mx::array& input, mx::array& output, mx::Stream stream) override {
    ++sums;
    if (gone) {
      mx::scheduler::enqueue(stream, [] { throw std::runtime_error("closed"); });
      return;
    }
    std::memmove(output.data<char>(), input.data<char>(), input.nbytes());
    if (input.dtype() != mx::int32) return;
    for (size_t i = 0; i < std::min(numbers.size(), output.size()); ++i) {
      output.data<int32_t>()[i] += numbers[i];
    }
  }
  void all_gather(const mx::array&, mx::array&, mx::Stream) override { refuse(); }
  void send(const mx::array&, int, mx::Stream) override { refuse(); }
  void recv(mx::array&, int, mx::Stream) override { refuse(); }
  void all_max(const mx::array&, mx::array&, mx::Stream) override { refuse(); }
  void all_min(const mx::array&, mx::array&, mx::Stream) override { refuse(); }
  void sum_scatter(const mx::array&, mx::array&, mx::Stream) override { refuse(); }

  std::vector<int32_t> numbers;
  // Set while a step may be under way.
  std::atomic<bool> gone = false;
  std::atomic<int> sums = 0;

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("only sums are asked for"); }

  int rank_;
};

struct Group {
  explicit Group(int rank)
      : other(std::make_shared<Other>(rank)),
        group(
            std::make_shared<ProcessGroup>(mx::distributed::Group(other), std::chrono::seconds(5))),
        decisions(std::make_shared<Decisions>(group)) {}

  std::shared_ptr<Other> other;
  std::shared_ptr<ProcessGroup> group;
  std::shared_ptr<Decisions> decisions;
};

std::shared_ptr<Job> shared_job(Request request) {
  static int64_t id = 0;
  return std::make_shared<Job>(++id, 1, std::move(request), [](bool) {}, [] {}, true);
}

// The tokens read of a job.
struct Read {
  Ids ids;
  std::string reason, failed;

  void take(Job& job) {
    for (Event& event : job.events.take()) {
      if (auto* token = std::get_if<TokenEvent>(&event)) ids.push_back(token->id);
      if (auto* error = std::get_if<ErrorEvent>(&event)) failed = error->message;
      if (auto* end = std::get_if<EndEvent>(&event)) reason = end->reason;
    }
  }
};

// A whole model in the first of two processes, which decides for both.
struct First : Group {
  First()
      : Group(0),
        weights(files().spec(), [](uint64_t, uint64_t) {}),
        model(make_model(Config(files().spec().config), weights, 512)),
        sequences([this] { return model->new_cache({.max_positions = 512}); }, 1 << 30),
        scheduler(*model, sequences, {.parallel = 2, .read_prefix = {}, .decisions = decisions}) {
    weights.finish();
  }
  static const TinyLlama& files() {
    static const TinyLlama files;
    return files;
  }

  WeightStore weights;
  std::unique_ptr<Model> model;
  SequencePool sequences;
  Scheduler scheduler;
};

}  // namespace

TEST(a_decided_reply_is_that_of_one_process) {
  First first;
  auto job = shared_job(asking(60, prompt_of(3, 20)));
  first.scheduler.add(job);
  Read read;
  while (first.scheduler.turn()) read.take(*job);
  read.take(*job);
  CHECK(read.reason == "length" && read.ids == alone(asking(60, prompt_of(3, 20))));
  CHECK(first.other->sums > 60 && first.scheduler.idle());
}

TEST(the_events_of_a_slow_reader_have_a_bound_and_it_goes_on_when_he_does) {
  First first;
  auto job = shared_job(asking(450, prompt_of(1, 4)));
  first.scheduler.add(job);
  for (int i = 0; i < 350; ++i) CHECK(first.scheduler.turn());
  Read read;
  read.take(*job);
  CHECK(job->rests && read.ids.size() > Job::kEventCapacity - 8 &&
        read.ids.size() < Job::kEventCapacity + 8);
  while (first.scheduler.turn()) read.take(*job);
  read.take(*job);
  CHECK(!job->rests && read.ids == alone(asking(450, prompt_of(1, 4))));
}

TEST(one_that_rests_can_be_cancelled) {
  First first;
  auto job = shared_job(asking(450, prompt_of(1, 4)));
  first.scheduler.add(job);
  while (!job->rests) CHECK(first.scheduler.turn());
  job->cancel();
  for (int i = 0; i < 4; ++i) first.scheduler.turn();
  Read read;
  read.take(*job);
  CHECK(read.reason == "cancelled" && first.scheduler.idle());
}

TEST(the_other_process_is_gone_and_all_that_runs_or_waits_says_so) {
  First first;
  std::vector<std::shared_ptr<Job>> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(shared_job(asking(300, prompt_of(i, 20))));
  for (int i = 0; i < 3; ++i) first.scheduler.add(jobs[static_cast<size_t>(i)]);
  for (int i = 0; i < 10; ++i) first.scheduler.turn();
  first.other->gone = true;
  first.scheduler.add(jobs[3]);
  for (int i = 0; i < 20 && !first.scheduler.idle(); ++i) first.scheduler.turn();
  CHECK(first.scheduler.idle());
  for (auto& job : jobs) {
    Read read;
    read.take(*job);
    // Nothing was said that was not decided.
    CHECK(read.ids.size() < 12);
    CHECK(read.reason.empty());
    CHECK(read.failed.find("the other processes that share the model are gone (closed)") !=
          std::string::npos);
  }
}

TEST(one_that_was_cancelled_when_the_others_went_is_cancelled) {
  First first;
  auto running = shared_job(asking(300, prompt_of(1, 20)));
  auto waiting = shared_job(asking(300, prompt_of(2, 20)));
  first.scheduler.add(running);
  for (int i = 0; i < 6; ++i) first.scheduler.turn();
  first.other->gone = true;
  first.scheduler.add(waiting);
  waiting->cancel();
  for (int i = 0; i < 20 && !first.scheduler.idle(); ++i) first.scheduler.turn();
  Read read;
  read.take(*waiting);
  CHECK(read.reason == "cancelled" && first.scheduler.idle());
}

TEST(another_process_waits_for_the_job_that_the_first_has_decided_on) {
  Group second(1);
  second.other->numbers = {1};
  CHECK(!second.decisions->next() && second.other->sums == 1);
  // The first decision again, not another one.
  CHECK(!second.decisions->next() && second.other->sums == 1);
  auto job = shared_job(asking(5, {1, 2}));
  second.decisions->add(job);
  CHECK(!second.decisions->knows(*job));
  CHECK(second.decisions->next() && second.decisions->knows(*job));
}

TEST(another_process_cancels_and_rests_only_as_the_first_says) {
  Group second(1);
  auto one = shared_job(asking(5, {1, 2})), two = shared_job(asking(5, {1, 2}));
  second.decisions->add(one);
  second.decisions->add(two);
  two->cancel();
  second.other->numbers = {2, -1};
  CHECK(second.decisions->next());
  CHECK(one->rests && !two->rests && !two->events.cancelled());
  second.other->numbers = {2, -1, 2};
  CHECK(second.decisions->next());
  CHECK(!one->rests && two->events.cancelled() && !one->events.cancelled());
}

TEST(changes_beyond_those_of_one_decision_wait_for_the_next) {
  Group first(0);
  std::vector<std::shared_ptr<Job>> jobs;
  for (int i = 0; i < 40; ++i) {
    jobs.push_back(shared_job(asking(5, {1, 2})));
    first.decisions->add(jobs.back());
    jobs.back()->cancel();
  }
  auto cancelled = [&] {
    return std::count_if(jobs.begin(), jobs.end(),
                         [](const auto& job) { return job->events.cancelled(); });
  };
  for (int expected : {15, 30, 40, 40}) {
    CHECK(first.decisions->next());
    CHECK(cancelled() == expected);
  }
}

TEST(a_failed_sum_is_told_to_nobody_but_the_group) {
  Group first(0);
  // Another sum, queued behind it, fails later.
  mx::array sum = first.group->sum(mx::ones({4}));
  mx::array slow = cpu_op("Slow", {4}, {sum}, [](const std::vector<mx::array>&, mx::array& out) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::fill_n(out.data<float>(), 4, 1.0F);
  });
  mx::array later = first.group->sum(slow);
  first.other->gone = true;
  mx::async_eval(later);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_ERROR(kEngine, "are gone (closed)", first.group->check());
  // Stands for the other machines' work, now and afterwards.
  for (int i = 0; i < 2; ++i) {
    mx::array one = mx::ones({4}) + 1;
    one.eval();
    CHECK(one.data<float>()[0] == 2);
  }
  later.eval();
  CHECK(later.data<float>()[0] == 0);
}

}  // namespace llm_host::decisions_test
