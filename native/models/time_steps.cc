#include "models/time_steps.h"

#include <limits>

#include "common/error.h"

namespace llm_host {
namespace {

// A number, or what transformers writes since JSON has no infinity.
float step_of(const Value& value) {
  if (const double* number = value.as<double>()) return static_cast<float>(*number);
  const auto* object = value.as<Value::Object>();
  auto text = object != nullptr ? object->find("__float__") : Value::Object::const_iterator();
  const std::string* name =
      object != nullptr && text != object->end() ? text->second.as<std::string>() : nullptr;
  if (name != nullptr && *name == "Infinity") return std::numeric_limits<float>::infinity();
  throw Error(kModelBroken, "config.json: time_step_limit must hold two numbers");
}

}  // namespace

void read_time_step_limit(const Config& config, Mamba2::Shape& shape) {
  const Value* limit = config.find("time_step_limit");
  if (limit == nullptr) return;
  const auto* pair = limit->as<Value::Array>();
  if (pair == nullptr || pair->size() != 2) {
    throw Error(kModelBroken, "config.json: time_step_limit must hold two numbers");
  }
  shape.min_step = step_of((*pair)[0]);
  shape.max_step = step_of((*pair)[1]);
}

}  // namespace llm_host
