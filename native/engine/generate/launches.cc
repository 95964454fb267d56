#include "engine/generate/launches.h"

#include <set>
#include <sstream>
#include <string_view>
#include <unordered_set>

#include "mlx/primitives.h"
#include "mlx/utils.h"

namespace llm_host {
namespace {

// Operations whose result is another look at their input's memory. A reshape copies what is not
// contiguous; in a step of one token everything is.
bool is_view(const std::string& kind) {
  static const std::set<std::string_view> kViews = {
      "AsStrided",  "Broadcast",    "BroadcastAxes", "Copy",      "Depends",
      "ExpandDims", "Flatten",      "Reshape",       "Slice",     "Split",
      "Squeeze",    "StopGradient", "Transpose",     "Unflatten", "View"};
  return kViews.contains(kind) || kind.starts_with("View ");
}

std::string key_of(const std::string& kind, const mx::array& result) {
  std::ostringstream text;
  text << kind << " " << result.dtype();
  return text.str();
}

}  // namespace

StepGraph inspect(const std::vector<mx::array>& outputs, const LaunchGroups& groups) {
  StepGraph graph;
  mx::Stream stream = mx::default_stream(mx::default_device());
  std::unordered_set<uintptr_t> seen;
  std::unordered_set<const LaunchGroups::Group*> counted;
  std::vector<mx::array> waiting = outputs;
  while (!waiting.empty()) {
    mx::array next = std::move(waiting.back());
    waiting.pop_back();
    if (next.status() != mx::array::Status::unscheduled || !next.has_primitive()) continue;
    // By result, since what mx::compile returns shares one primitive between calls.
    if (!seen.insert(next.id()).second) continue;
    for (const mx::array& other : next.siblings()) seen.insert(other.id());
    ++graph.primitives;
    waiting.insert(waiting.end(), next.inputs().begin(), next.inputs().end());
    std::string kind = next.primitive().name();
    if (next.primitive().stream() != stream) {
      ++graph.launches[key_of(kind, next) + " on another stream"];
    } else if (const LaunchGroups::Group* group = groups.find(next.primitive_id())) {
      if (counted.insert(group).second) ++graph.launches[key_of(group->kind, group->outputs[0])];
    } else if (!is_view(kind)) {
      ++graph.launches[key_of(kind, next)];
    }
  }
  return graph;
}

}  // namespace llm_host
