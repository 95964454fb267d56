# How the kernels for each instruction set are compiled. A row applies to the files kernels/[FOLDER/]<pattern>.cc; where two rows
# match, the later one counts. The CPU's features are checked at run time, by each file for itself.
function(kernel_options pattern)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${pattern}.cc"
       "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*/${pattern}.cc")
  set(common -O3 -ffp-contract=fast -Wno-psabi -Wno-maybe-uninitialized -Wno-uninitialized)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${common};${ARGN}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

set(AVX512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)

# Without fused instructions on any CPU: see multiply_add.
kernel_options(*/portable -O2 -ffp-contract=off)
kernel_options(*/neon)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT APPLE)
  kernel_options(*/avx2 -mavx2 -mfma -mf16c)
  kernel_options(*/avx512 ${AVX512})
  kernel_options(packed/sets/avx512 ${AVX512} -mavx512vnni)
  kernel_options(packed/sets/panels ${AVX512})
  kernel_options(packed/sets/bfloat16 ${AVX512} -mavx512bf16)
  kernel_options(*/amx ${AVX512} -mavx512vnni -mavx512bf16 -mamx-tile -mamx-bf16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND NOT APPLE)
  # Apple's compiler targets a CPU with dot products anyway.
  kernel_options(packed/sets/neon -march=armv8.2-a+dotprod)
endif()
