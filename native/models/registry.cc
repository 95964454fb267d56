#include <string>

#include "engine/error.h"
#include "models/model.h"

namespace llm_host {
namespace {

using Maker = std::unique_ptr<Model>(const Config&, WeightStore&, int context_length);

}  // namespace

// One line a family: its model_type and the function in the file of that name.
// src/model/model-types.ts holds the same names, so that unknown ones are refused before any work.
#define LLM_HOST_MODELS(M)                     \
  M("gemma3_text", make_gemma3_text)           \
  M("gpt_oss", make_gpt_oss)                   \
  M("granite", make_granite)                   \
  M("granitemoe", make_granitemoe)             \
  M("granitemoehybrid", make_granitemoehybrid) \
  M("lfm2", make_lfm2)                         \
  M("lfm2_moe", make_lfm2_moe)                 \
  M("llama", make_llama)                       \
  M("ministral3", make_ministral3)             \
  M("mistral", make_mistral)                   \
  M("phi3", make_phi3)                         \
  M("qwen2", make_qwen2)                       \
  M("qwen3", make_qwen3)                       \
  M("qwen3_moe", make_qwen3_moe)               \
  M("smollm3", make_smollm3)

#define LLM_HOST_DECLARE(type, make) Maker make;
LLM_HOST_MODELS(LLM_HOST_DECLARE)

std::unique_ptr<Model> make_model(const Config& config, WeightStore& weights, int context_length) {
  static constexpr struct {
    const char* model_type;
    Maker* make;
  } kModels[] = {
#define LLM_HOST_ENTRY(type, make) {type, make},
      LLM_HOST_MODELS(LLM_HOST_ENTRY)};
  std::string type = config.string("model_type");
  std::string supported;
  for (const auto& entry : kModels) {
    if (type == entry.model_type) return entry.make(config, weights, context_length);
    supported += (supported.empty() ? "" : ", ") + std::string(entry.model_type);
  }
  throw Error(kModelUnsupported, "config.json: model_type \"" + type +
                                     "\" is not supported; supported are: " + supported);
}

}  // namespace llm_host
