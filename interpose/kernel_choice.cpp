#include "kernel_choice.hpp"

#include <atomic>
#include <string_view>

namespace sgemm_shim {
namespace {

/// Stands for an explicit "auto", which must beat the environment; no choice at all is a null pointer.
constexpr Kernel automatic{.name = "auto"};

constinit std::atomic<const Kernel*> choice_of_process{nullptr};
// Not in the initial-exec model: that would put the CUDA runtime's thread-locals (8 KB) into the static
// block too, where a program that opens the library late has no such room.
constinit thread_local const Kernel* choice_of_thread = nullptr;

void store(ChoiceScope scope, const Kernel* choice) {
    if (scope == ChoiceScope::thread)
        choice_of_thread = choice;
    else
        choice_of_process.store(choice, std::memory_order_relaxed);
}

}  // namespace

bool choose_kernel(ChoiceScope scope, const char* number_or_name) {
    const Kernel* choice = nullptr;
    if (number_or_name != nullptr) {
        choice =
            std::string_view(number_or_name) == automatic.name ? &automatic : find_kernel(number_or_name);
        if (choice == nullptr) return false;
    }
    store(scope, choice);
    return true;
}

KernelChoice kernel_choice(const Policy& environment) {
    const Kernel* choice = choice_of_thread;
    ChoiceSource source = ChoiceSource::thread;
    if (choice == nullptr) {
        choice = choice_of_process.load(std::memory_order_relaxed);
        source = ChoiceSource::process;
    }
    if (choice != nullptr) return {choice != &automatic ? choice : nullptr, source};
    return {environment.kernel,
            environment.kernel != nullptr ? ChoiceSource::environment : ChoiceSource::automatic};
}

}  // namespace sgemm_shim
