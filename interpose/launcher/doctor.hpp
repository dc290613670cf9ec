// sgemm-shim --doctor: says in plain lines what is here, and what would keep a program from being served.
#pragma once

#include <string>
#include <string_view>

#include "loader_search.hpp"
#include "report.hpp"

namespace sgemm_shim::launcher {

/// Reports on the system and, unless `program` is empty, on that program. True if nothing stands in the way.
bool examine(const std::string& program);

/// Whether a file's bytes are a cuBLAS library that can be loaded here: this project's own is none.
bool is_cublas(std::string_view bytes);

/// The part about one program.
void examine_program(const std::string& program, const LoaderPaths& paths, Report& report);

}  // namespace sgemm_shim::launcher
