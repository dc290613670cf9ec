#include "shim_view.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <stdexcept>

#include "sgemm_shim/sgemm_shim.h"

namespace sgemm_shim::testing {
namespace {

template <class Function>
Function* shim_function(Function*, const char* name) {
    void* address = dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) throw std::runtime_error("this program must run under the shim");
    return reinterpret_cast<Function*>(address);
}

}  // namespace

std::string shim_summary() {
    std::array<char, 8192> text;
    decltype(&sgemm_shim_summary) summary = nullptr;
    return {text.data(), shim_function(summary, "sgemm_shim_summary")(text.data(), text.size())};
}

void reset_shim() {
    decltype(&sgemm_shim_reset_counters) reset = nullptr;
    shim_function(reset, "sgemm_shim_reset_counters")();
}

std::string reason_without_context() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return "driver";
    const auto get_version = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
    int version = 0;
    if (get_version == nullptr || get_version(&version) != 0) return "driver";
    return version / 1000 >= CUDART_VERSION / 1000 ? "context" : "driver";
}

}  // namespace sgemm_shim::testing
