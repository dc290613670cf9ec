// Where log lines go: stderr, or the file of SGEMM_SHIM_LOG_FILE.
#pragma once

#include <cstddef>

namespace sgemm_shim {

/// Writes whole lines with one write(), so that those of several threads and processes do not mix. A file
/// that cannot be opened is reported once on stderr, and the lines go there. Leaves errno as it was.
void write_log(const char* text, std::size_t length);

/// After fork: a child whose file name holds the process id gets a file of its own. Returns whether it does.
bool reopen_log_in_child();

}  // namespace sgemm_shim
