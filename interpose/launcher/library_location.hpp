// Where libsgemm_shim.so is, seen from the launcher.
#pragma once

#include <string>
#include <vector>

namespace sgemm_shim::launcher {

/// The places that find_library() tries, best first: the launcher's own directory (the build tree), the
/// library directories beside it (an installation, also one that was moved), the directory that it was
/// configured for.
std::vector<std::string> library_candidates(const std::string& launcher_path);

/// The absolute path of the library, or an empty string.
std::string find_library();

/// The value of LD_PRELOAD with the library in front of what stands there already; `present` may be NULL.
std::string with_preload(const std::string& library, const char* present);

}  // namespace sgemm_shim::launcher
