#pragma once

namespace llm_host {

// Whether linear layers add what the model's adapters have for them, in the operations that this
// thread makes. Yes, but within the scope of a request that goes without.
bool adapters_apply();

// Sets it while in scope.
class AdapterScope {
 public:
  explicit AdapterScope(bool on);
  ~AdapterScope();
  AdapterScope(const AdapterScope&) = delete;
  AdapterScope& operator=(const AdapterScope&) = delete;

 private:
  bool before_;
};

}  // namespace llm_host
