#include "common/launch_groups.h"

#include "common/device_policy.h"

namespace llm_host {
namespace {

thread_local LaunchGroups* current_groups = nullptr;

}  // namespace

LaunchGroups::LaunchGroups() : before_(current_groups) { current_groups = this; }

LaunchGroups::~LaunchGroups() { current_groups = before_; }

LaunchGroups* LaunchGroups::current() { return current_groups; }

void LaunchGroups::add(const char* kind, const std::vector<mx::array>& inputs,
                       const std::vector<mx::array>& outputs) {
  std::unordered_map<uintptr_t, bool> known;
  for (const mx::array& input : inputs) known.emplace(input.id(), true);
  std::vector<mx::array> waiting = outputs;
  while (!waiting.empty()) {
    mx::array next = std::move(waiting.back());
    waiting.pop_back();
    if (!next.has_primitive() || !known.emplace(next.id(), true).second) continue;
    // Groups within this one, as of a norm in a larger part, belong to it.
    members_[next.primitive_id()] = groups_.size();
    waiting.insert(waiting.end(), next.inputs().begin(), next.inputs().end());
  }
  groups_.push_back({kind, outputs});
}

const LaunchGroups::Group* LaunchGroups::find(uintptr_t primitive) const {
  auto member = members_.find(primitive);
  return member == members_.end() ? nullptr : &groups_[member->second];
}

mx::array fused(const char* kind, Elementwise* f, const std::vector<mx::array>& inputs,
                Shapes shapes) {
  return fused_all(kind, f, inputs, shapes)[0];
}

std::vector<mx::array> fused_all(const char* kind, Elementwise* f,
                                 const std::vector<mx::array>& inputs, Shapes shapes) {
  if (DevicePolicy::get().compiles()) {
    return mx::compile(f, /* shapeless */ shapes == Shapes::kAny)(inputs);
  }
  std::vector<mx::array> results = f(inputs);
  if (LaunchGroups* groups = LaunchGroups::current()) groups->add(kind, inputs, results);
  return results;
}

}  // namespace llm_host
