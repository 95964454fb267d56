#include "engine/generate/launches.h"

#include <cstdlib>

#include "check.h"
#include "engine/runtime.h"
#include "engine/tiny_llama.h"
#include "models/model.h"

namespace llm_host::launches_test {

static const check::Suite suite("launches", [] {
  setenv("LLM_HOST_DEVICE_POLICY", "gpu", 1);
  mx::set_default_device(mx::Device::cpu);
  init_runtime();
});

namespace {

using Plant = std::function<mx::array(const mx::array&)>;

const LoadSpec& tiny() {
  static const TinyLlama files;
  return files.spec();
}

// A decoding step of a tiny llama as a GPU would run it, with `plant` between its layers and its
// head.
StepGraph step(const Plant& plant = [](const mx::array& x) { return x; }) {
  WeightStore weights(tiny(), [](uint64_t, uint64_t) {});
  auto model = make_model(Config(tiny().config), weights, 0);
  ModelCache cache = model->new_cache({.max_positions = 64});
  mx::eval(model->body(mx::array({1, 2, 3}, {1, 3}), cache, 1));
  mx::eval(cache.arrays());
  LaunchGroups groups;
  mx::array hidden = plant(model->body(mx::array({4}, {1, 1}), cache, 1));
  return inspect({mx::argmax(model->head(hidden), -1)}, groups);
}

// The launches that `plant` adds to a step.
std::map<std::string, int> added(const Plant& plant) {
  std::map<std::string, int> more = step(plant).launches;
  for (const auto& [kind, count] : step().launches) {
    if ((more[kind] -= count) == 0) more.erase(kind);
  }
  return more;
}

using Counts = std::map<std::string, int>;

// A chunk of a prompt, of all whose positions the results are wanted, by a model with a window that
// is shorter than the chunk in every layer.
Counts windowed_chunk() {
  LoadSpec spec = tiny();
  Value::Object config = *spec.config.as<Value::Object>();
  config.insert_or_assign("model_type", Value(std::string("mistral")));
  config.insert_or_assign("sliding_window", Value(4.0));
  spec.config = Value(std::move(config));
  WeightStore weights(spec, [](uint64_t, uint64_t) {});
  auto model = make_model(Config(spec.config), weights, 0);
  ModelCache cache = model->new_cache({.max_positions = 64});
  constexpr int kLength = 12;
  LaunchGroups groups;
  return inspect({model->body(mx::zeros({1, kLength}, mx::int32), cache, kLength)}, groups)
      .launches;
}

}  // namespace

TEST(a_step_is_these_kernels) {
  constexpr int kLayers = 2;
  Counts expected{{"Gather float32", 1},
                  {"RMSNorm float32", 2 * kLayers + 1},
                  {"Matmul float32", 4 * kLayers + 1},
                  {"RoPE float32", kLayers},
                  {"SliceUpdate float32", kLayers},
                  {"ScaledDotProductAttention float32", kLayers},
                  {"SwiGlu float32", kLayers},
                  {"Add float32", 2 * kLayers},
                  {"ArgReduce uint32", 1}};
  CHECK(step().launches == expected);
}

TEST(the_layers_of_a_chunk_share_one_mask) {
  Counts counts = windowed_chunk();
  CHECK(counts["ScaledDotProductAttention float32"] == 2);
  for (const char* kind : {"LessEqual bool", "Less bool", "LogicalAnd bool"}) {
    CHECK(counts[kind] == 1);
  }
}

TEST(a_planted_cast_is_told_with_its_type) {
  auto there_and_back = [](const mx::array& x) {
    return mx::astype(mx::astype(x, mx::float16), mx::float32);
  };
  CHECK((added(there_and_back) == Counts{{"AsType float16", 1}, {"AsType float32", 1}}));
  // Makes later layers compute in the wrong type.
  auto left = [](const mx::array& x) { return mx::astype(x, mx::bfloat16); };
  Counts kinds = added(left);
  CHECK(kinds["AsType bfloat16"] == 1);
}

TEST(a_planted_clip_is_told) {
  auto clip = [](const mx::array& x) {
    return mx::clip(x, mx::array(-65504.0f), mx::array(65504.0f));
  };
  CHECK((added(clip) == Counts{{"Maximum float32", 1}, {"Minimum float32", 1}}));
}

TEST(a_planted_copy_is_told) {
  auto copy = [](const mx::array& x) { return mx::contiguous(x); };
  CHECK((added(copy) == Counts{{"Contiguous float32", 1}}));
}

TEST(an_operation_on_another_stream_is_told_even_if_it_is_a_view) {
  mx::Stream other = mx::new_stream(mx::Device::cpu);
  auto sum = [&](const mx::array& x) { return mx::add(x, x, other); };
  CHECK((added(sum) == Counts{{"Add float32 on another stream", 1}}));
  auto view = [&](const mx::array& x) { return mx::reshape(x, {1, 1, 4, 8}, other); };
  auto views = [&](const mx::array& x) { return mx::reshape(view(x), x.shape(), other); };
  for (const auto& [kind, count] : added(views)) CHECK(kind.ends_with(" on another stream"));
  CHECK(!added(views).empty());
}

TEST(counts_each_operation_once_whatever_hangs_on_it) {
  mx::array a = mx::ones({4}), b = mx::ones({4});
  mx::eval(a, b);
  LaunchGroups none;
  mx::array sum = mx::add(a, b);
  mx::array twice = mx::multiply(sum, sum);
  CHECK(inspect({sum}, none).primitives == 1);
  CHECK(inspect({twice}, none).primitives == 2);
  CHECK(inspect({twice, sum, twice}, none).primitives == 2);
}

TEST(the_outputs_of_one_operation_are_that_operation) {
  mx::array a = mx::ones({4});
  mx::eval(a);
  CHECK(inspect(mx::split(a, 2), LaunchGroups()).primitives == 1);
}

TEST(what_has_been_computed_or_is_on_its_way_is_not_counted) {
  mx::array a = mx::ones({4});
  mx::eval(a);
  LaunchGroups none;
  CHECK(inspect({a}, none).primitives == 0);
  mx::array first = mx::add(a, a);
  mx::async_eval(first);
  mx::array second = mx::add(first, a);
  CHECK(inspect({second}, none).primitives == 1);
  mx::eval(second);
}

TEST(what_is_noted_as_one_kernel_is_one_with_all_its_results) {
  mx::array a = mx::ones({4});
  mx::eval(a);
  LaunchGroups groups;
  std::vector<mx::array> both =
      fused_all("Both",
                [](const std::vector<mx::array>& in) -> std::vector<mx::array> {
                  mx::array square = mx::multiply(in[0], in[0]);
                  return {mx::add(square, in[0]), square};
                },
                {a});
  CHECK((inspect(both, groups).launches == Counts{{"Both float32", 1}}));
}

}  // namespace llm_host::launches_test
