#include "layers/adapter_scope.h"

namespace llm_host {
namespace {

thread_local bool wanted = true;

}  // namespace

bool adapters_apply() { return wanted; }

AdapterScope::AdapterScope(bool on) : before_(wanted) { wanted = on; }
AdapterScope::~AdapterScope() { wanted = before_; }

}  // namespace llm_host
