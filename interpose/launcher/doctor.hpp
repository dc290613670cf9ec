// sgemm-shim --doctor: says in plain lines what is here, and what would keep a program from being served.
#pragma once

#include <string>

#include "loader_search.hpp"
#include "report.hpp"

namespace sgemm_shim::launcher {

/// Reports on the system and, unless `program` is empty, on that program. True if nothing stands in the way.
bool examine(const std::string& program);

/// The part about one program.
void examine_program(const std::string& program, const LoaderPaths& paths, Report& report);

}  // namespace sgemm_shim::launcher
