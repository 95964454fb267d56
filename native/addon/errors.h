#pragma once

#include <napi.h>

#include "common/error.h"

namespace llm_host {

// The JavaScript Error with `code` for an engine error; misuse becomes a TypeError.
Napi::Error to_js(Napi::Env env, const Error& error);

// Runs `body`, turning engine errors into JavaScript exceptions.
template <typename F>
auto guarded(Napi::Env env, F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const Error& error) {
    throw to_js(env, error);
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& error) {
    throw to_js(env, Error(kEngine, error.what()));
  }
}

}  // namespace llm_host
