// A plugin that looks cuBLAS up, in the file that the environment variable LOOKUP_LIBRARY names. Built with
// CALLS_IN_CONSTRUCTOR it does so while it is being loaded, and prints what it got.
#include "lookup.hpp"

extern "C" [[gnu::visibility("default")]] int call_cublas() {
    const LookedUp library = look_up(std::getenv("LOOKUP_LIBRARY"));
    cublasHandle_t handle = nullptr;
    if (library.create(&handle) != CUBLAS_STATUS_SUCCESS) return -1;
    const volatile int status = multiply(library, handle);
    return status;
}

#ifdef CALLS_IN_CONSTRUCTOR
namespace {
[[gnu::constructor]] void call_while_being_loaded() {
    std::printf("constructor=%d\n", call_cublas());
}
}  // namespace
#endif
