// Which kernel the program itself asked for, through the C interface. It takes the place of
// SGEMM_SHIM_KERNEL, for intercepted calls as for those of the interface.
#pragma once

#include <cstdint>

#include "settings.hpp"

namespace sgemm_shim {

enum class ChoiceScope : std::uint8_t { process, thread };

/// Sets the choice of the process or of the calling thread: a number, a name or an alias of the table, or
/// "auto"; NULL takes the choice back. False, and nothing changes, if there is no such kernel.
bool choose_kernel(ChoiceScope scope, const char* number_or_name);

/// Who decided, the weakest first.
enum class ChoiceSource : std::uint8_t { automatic, environment, process, thread };

struct KernelChoice {
    const Kernel* kernel = nullptr;  ///< nullptr: automatic
    ChoiceSource source = ChoiceSource::automatic;
};

/// What holds for a call of the calling thread: its own choice, else the process's, else the environment's.
/// Takes no lock.
KernelChoice kernel_choice(const Policy& environment);

}  // namespace sgemm_shim
