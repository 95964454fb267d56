#pragma once

#include <memory>
#include <string>

#include "models/model.h"

namespace fuzz {

// The specification to load a model of test/fixtures/families, such as "llama/plain".
llm_host::LoadSpec tiny_spec(const std::string& name);

// A model of test/fixtures/families, such as "llama/plain", with its weights in memory.
struct TinyModel {
  explicit TinyModel(const std::string& name);
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;

  llm_host::LoadSpec spec;
  std::unique_ptr<llm_host::Model> model;
};

}  // namespace fuzz
