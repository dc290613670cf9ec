// What the doctor needs to know of an ELF file. Reads any file, hostile ones included: every offset is
// checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgemm_shim::launcher {

/// A file's bytes, mapped read-only.
class FileBytes {
  public:
    explicit FileBytes(const std::string& path);
    ~FileBytes();
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    bool is_open() const { return open_; }
    std::string_view bytes() const { return {data_, size_}; }

  private:
    const char* data_ = nullptr;
    std::size_t size_ = 0;
    bool open_ = false;
};

/// The dynamic section and its neighbours, as far as the doctor reads them.
struct ElfFile {
    bool is_native = false;        ///< 64 bits, and for this machine's processor
    bool has_interpreter = false;  ///< names a dynamic loader
    bool is_dynamic = false;       ///< has a dynamic section
    std::string soname;
    std::vector<std::string> needed;
    std::string rpath;
    std::string runpath;
    /// The highest "GLIBC_2.x" that it asks for, as (2, x); (0, 0) if none.
    int glibc_major = 0;
    int glibc_minor = 0;
};

/// The description of an ELF file, or nothing if the bytes are no ELF file of a known class. What is damaged
/// is left out.
std::optional<ElfFile> read_elf(std::string_view bytes);

/// Whether the file defines the symbol for others to use. False if it has no section headers.
bool defines(std::string_view bytes, std::string_view symbol);

}  // namespace sgemm_shim::launcher
