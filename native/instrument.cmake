# Only what is compiled here is instrumented: MLX comes as it is. Asserts stay on (no NDEBUG).
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1 -fno-omit-frame-pointer")
if(LLM_HOST_INSTRUMENT STREQUAL "address")
  # Checked containers too: what is inside a buffer and yet past a vector's end, AddressSanitizer does not see.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  set(INSTRUMENT -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=undefined)
elseif(LLM_HOST_INSTRUMENT STREQUAL "thread")
  set(INSTRUMENT -fsanitize=thread)
elseif(LLM_HOST_INSTRUMENT STREQUAL "coverage")
  set(INSTRUMENT --coverage -fprofile-update=atomic)
elseif(LLM_HOST_INSTRUMENT STREQUAL "fuzz")
  # For clang's libFuzzer, which guides itself by the coverage of what is compiled here.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # In the one file that asks for it.
  set_source_files_properties(kernels/packed/form/weight_arena.cc PROPERTIES
                              COMPILE_DEFINITIONS FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  set(INSTRUMENT -fsanitize=address,undefined,float-cast-overflow,fuzzer-no-link
                 -fno-sanitize-recover=undefined,float-cast-overflow)
else()
  message(FATAL_ERROR "LLM_HOST_INSTRUMENT is address, thread, coverage or fuzz, not ${LLM_HOST_INSTRUMENT}")
endif()
add_compile_options(${INSTRUMENT})
add_link_options(${INSTRUMENT})
