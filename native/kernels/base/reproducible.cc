#include "kernels/base/reproducible.h"

namespace llm_host::cpu {
namespace {

thread_local bool wanted = false;

}  // namespace

bool reproducible() { return wanted; }

ReproducibleScope::ReproducibleScope(bool on) : before_(wanted) { wanted = on; }
ReproducibleScope::~ReproducibleScope() { wanted = before_; }

}  // namespace llm_host::cpu
