#include "kernel_choice.hpp"

#include <atomic>
#include <string_view>

#include "thread_pointer.hpp"

namespace sgemm_shim {
namespace {

/// Stands for an explicit "auto", which must beat the environment; no choice at all is a null pointer.
constexpr Kernel automatic{.name = "auto"};

constinit std::atomic<const Kernel*> choice_of_process{nullptr};
using ChoiceOfThread = ThreadPointer<struct ChoiceOfThreadTag>;

bool store(ChoiceScope scope, const Kernel* choice) {
    if (scope == ChoiceScope::thread) return ChoiceOfThread::set(choice);
    choice_of_process.store(choice, std::memory_order_relaxed);
    return true;
}

}  // namespace

bool choose_kernel(ChoiceScope scope, const char* number_or_name) {
    const Kernel* choice = nullptr;
    if (number_or_name != nullptr) {
        choice =
            std::string_view(number_or_name) == automatic.name ? &automatic : find_kernel(number_or_name);
        if (choice == nullptr) return false;
    }
    return store(scope, choice);
}

KernelChoice kernel_choice(const Policy& environment) {
    const auto* choice = static_cast<const Kernel*>(ChoiceOfThread::get());
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
