#include <stdexcept>

#include "check.h"
#include "engine/asked.h"
#include "engine/runtime.h"
#include "kernels/base/cpu_op.h"
#include "weights/weight_store.h"

namespace llm_host::failed_step_test {

static const check::Suite suite("failed_step", init_runtime);

namespace {

// A model of which a pass can fail while it is computed, as a GPU's may: long after it was built.
class Failing final : public Model {
 public:
  explicit Failing(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  mx::array body(const mx::array& ids, ModelCache& cache, int outputs) const override {
    return passed(model_->body(ids, cache, outputs),
                  ids.shape(1) > 1 ? Pass::kPrompt : Pass::kStep);
  }
  mx::array step(const mx::array& ids, std::span<ModelCache* const> caches) const override {
    return passed(model_->step(ids, caches), Pass::kStep);
  }
  mx::array head(const mx::array& hidden) const override { return model_->head(hidden); }
  ModelCache new_cache(const CacheOptions& options) const override {
    return model_->new_cache(options);
  }
  const ModelInfo& info() const override { return model_->info(); }

  enum class Pass { kNone, kPrompt, kStep };
  // The next one of these that is built will fail.
  mutable Pass failing = Pass::kNone;

 private:
  mx::array passed(const mx::array& hidden, Pass pass) const {
    bool fails = failing == pass;
    if (fails) failing = Pass::kNone;
    return cpu_op("Passed", hidden.shape(), {mx::contiguous(hidden)},
                  [fails](const std::vector<mx::array>& inputs, mx::array& out) {
                    if (fails) throw std::runtime_error("the device was lost");
                    std::copy_n(inputs[0].data<float>(), out.size(), out.data<float>());
                  });
  }

  std::unique_ptr<Model> model_;
};

struct Engine {
  explicit Engine(int parallel)
      : model(make()),
        sequences([this] { return model.new_cache({.max_positions = 512}); }, 1 << 30),
        scheduler(model, sequences, options_of(parallel)) {}

  static std::unique_ptr<Model> make() {
    static const TinyLlama files;
    LoadSpec spec = files.spec();
    WeightStore weights(spec, [](uint64_t, uint64_t) {});
    std::unique_ptr<Model> model = make_model(Config(spec.config), weights, spec.context_length);
    weights.finish();
    return model;
  }
  static Scheduler::Options options_of(int parallel) {
    Scheduler::Options options;
    options.parallel = parallel;
    return options;
  }
  void run(int turns = 1'000'000) { for (int i = 0; i < turns && scheduler.turn(); ++i); }

  Failing model;
  SequencePool sequences;
  Scheduler scheduler;
};

bool lost(Asked& asked) {
  return asked.over() && asked.failed.find("the device was lost") != std::string::npos;
}

}  // namespace

TEST(a_step_that_fails_ends_all_that_it_was_for) {
  Engine engine(3);
  Asked first(engine.scheduler, asking(60, prompt_of(1, 20)));
  Asked second(engine.scheduler, asking(60, prompt_of(2, 30)));
  Asked third(engine.scheduler, asking(60, prompt_of(3, 40)));
  engine.run(8);
  CHECK(first.take().ids.size() > 2 && third.take().ids.size() > 2);
  engine.model.failing = Failing::Pass::kStep;
  engine.run();
  CHECK(lost(first) && lost(second) && lost(third));
  // Tokens that the failed step left in the caches are not continued.
  Ids prompt = prompt_of(2, 30);
  Asked again(engine.scheduler, asking(60, prompt));
  engine.run();
  CHECK(again.over() && again.last.cached_tokens == 0 && again.ids == alone(asking(60, prompt)));
}

TEST(a_step_that_fails_leaves_no_cache_of_those_with_adapters_or_without) {
  Engine engine(3);
  Request without = asking(60, prompt_of(2, 30));
  without.adapted = false;
  Asked first(engine.scheduler, asking(60, prompt_of(1, 20)));
  Asked second(engine.scheduler, without);
  Asked third(engine.scheduler, asking(60, prompt_of(3, 40)));
  engine.run(8);
  CHECK(first.take().ids.size() > 2 && second.take().ids.size() > 2);
  engine.model.failing = Failing::Pass::kStep;
  engine.run();
  CHECK(lost(first) && lost(third) && second.over());
  Asked again(engine.scheduler, without), beside(engine.scheduler, asking(60, prompt_of(1, 20)));
  engine.run();
  CHECK(again.over() && again.ids == alone(without));
  CHECK(beside.over() && beside.last.cached_tokens == 0);
  CHECK(beside.ids == alone(asking(60, prompt_of(1, 20))));
}

TEST(one_that_is_cancelled_leaves_no_cache_of_a_step_that_failed) {
  Engine engine(2);
  Asked first(engine.scheduler, asking(60, prompt_of(1, 20)));
  Asked second(engine.scheduler, asking(60, prompt_of(2, 30)));
  engine.run(8);
  engine.model.failing = Failing::Pass::kStep;
  engine.run(1);
  first.cancel();
  second.cancel();
  engine.run();
  CHECK(first.over() && second.over());
  Ids prompt = prompt_of(2, 30);
  prompt.insert(prompt.end(), second.ids.begin(), second.ids.end());
  Asked again(engine.scheduler, asking(10, prompt));
  engine.run();
  CHECK(again.over() && again.last.cached_tokens == 0 && again.ids == alone(asking(10, prompt)));
}

TEST(a_prompt_that_fails_ends_no_other) {
  Engine engine(3);
  auto fail = [&] {
    engine.model.failing = Failing::Pass::kPrompt;
    Asked failing(engine.scheduler, asking(60, prompt_of(3, 40)));
    engine.run(10);
    CHECK(lost(failing));
  };
  // One that nobody reads rests when its queue is full, with a step under way.
  Asked resting(engine.scheduler, asking(400, prompt_of(1, 20)));
  engine.run(300);
  fail();
  Asked running(engine.scheduler, asking(60, prompt_of(2, 30)));
  engine.run(8);
  fail();
  engine.run();
  CHECK(running.over() && running.ids == alone(asking(60, prompt_of(2, 30))));
  while (!resting.over()) engine.run();
  CHECK(resting.failed.empty() && resting.ids == alone(asking(400, prompt_of(1, 20))));
}

}  // namespace llm_host::failed_step_test
