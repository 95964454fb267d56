#include "addon/loading.h"

#include <atomic>
#include <utility>

#include "addon/convert.h"
#include "addon/errors.h"
#include "addon/model.h"
#include "engine/host.h"

namespace llm_host {
namespace {

// A load under way. Only the JavaScript thread touches its references, and no destructor deletes
// them, as in a job's Listener.
struct Loading {
  explicit Loading(Napi::Env env) : deferred(env) {}

  Napi::Promise::Deferred deferred;
  Napi::FunctionReference on_progress;
  Napi::FunctionReference model_class;
  std::shared_ptr<Signal> signal;
  std::atomic<uint64_t> done{0}, total{0};
  std::atomic<bool> progress_posted{false};
};

void report(const std::shared_ptr<Loading>& loading, uint64_t done, uint64_t total) {
  loading->done = done;
  loading->total = total;
  if (loading->progress_posted.exchange(true)) return;
  loading->signal->post([loading](Napi::Env env) {
    loading->progress_posted = false;
    if (loading->on_progress.IsEmpty()) return;
    Napi::Object progress = Napi::Object::New(env);
    progress.Set("doneBytes", static_cast<double>(loading->done));
    progress.Set("totalBytes", static_cast<double>(loading->total));
    loading->on_progress.Value().Call({progress});
  });
}

void settle(Napi::Env env, Loading& loading, const LoadResult& result,
            const std::shared_ptr<ModelHandle>& handle) {
  loading.signal->release();
  loading.on_progress.Reset();
  Napi::Function model_class = loading.model_class.Value();
  loading.model_class.Reset();
  if (result.error) {
    loading.deferred.Reject(to_js(env, *result.error).Value());
    return;
  }
  ModelObject::Source source{handle, result.info, loading.signal};
  loading.deferred.Resolve(
      model_class.New({Napi::External<ModelObject::Source>::New(env, &source)}));
}

LoadHandlers handlers_of(const std::shared_ptr<Loading>& loading) {
  auto on_progress = [loading](uint64_t done, uint64_t total) { report(loading, done, total); };
  auto on_done = [loading](const LoadResult& result) {
    // If the task is dropped, so is the handle, which closes the model.
    auto handle = result.error ? nullptr : std::make_shared<ModelHandle>(result.model);
    loading->signal->post(
        [loading, result, handle](Napi::Env env) { settle(env, *loading, result, handle); });
  };
  return {on_progress, on_done};
}

}  // namespace

Napi::Value start_load(const Napi::CallbackInfo& info, const std::shared_ptr<Signal>& signal,
                       Napi::Function model_class) {
  auto loading = std::make_shared<Loading>(info.Env());
  Napi::Promise promise = loading->deferred.Promise();
  try {
    guarded(info.Env(), [&] {
      LoadSpec spec = to_load_spec(info[0]);
      if (!info[1].IsFunction()) throw Error(kUsage, "onProgress must be a function");
      loading->on_progress = Napi::Persistent(info[1].As<Napi::Function>());
      loading->on_progress.SuppressDestruct();
      loading->model_class = Napi::Persistent(model_class);
      loading->model_class.SuppressDestruct();
      loading->signal = signal;
      Host::get().load(std::move(spec), handlers_of(loading));
    });
    signal->hold();
  } catch (const Napi::Error& error) {
    // The engine's, or what a property of the arguments threw.
    loading->on_progress.Reset();
    loading->model_class.Reset();
    loading->deferred.Reject(error.Value());
  }
  return promise;
}

}  // namespace llm_host
