#include "elf_file.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace sgemm_shim::launcher;

namespace {

std::string file_text(const char* variable) {
    const char* path = std::getenv(variable);
    REQUIRE(path != nullptr);
    const FileBytes file(path);
    REQUIRE(file.is_open());
    return std::string(file.bytes());
}

}  // namespace

TEST_CASE("the library: name, needs, and the glibc that the symbol versions ask for") {
    const auto elf = read_elf(file_text("SHIM"));
    REQUIRE(elf);
    CHECK(elf->is_native);
    CHECK(elf->is_dynamic);
    CHECK(elf->soname == "libsgemm_shim.so.0");
    CHECK(std::ranges::count(elf->needed, "libc.so.6") == 1);
    CHECK(elf->glibc_major == 2);
    CHECK(elf->glibc_minor >= 17);
    CHECK(elf->glibc_minor <= 34);
}

TEST_CASE("symbols that a file defines, and those that it only uses") {
    const std::string shim = file_text("SHIM");
    CHECK(defines(shim, "cublasSgemm_v2"));
    CHECK_FALSE(defines(shim, "cublasSgemm_v"));
    CHECK_FALSE(defines(shim, "pthread_once"));
    CHECK_FALSE(defines(file_text("PLAIN_CUBLAS"), "cublasSgemm_v2"));
    CHECK_FALSE(defines("cublasSgemm_v2", "cublasSgemm_v2"));
}

TEST_CASE("programs: dynamic and static") {
    const auto dynamic = read_elf(file_text("EXIT_PROGRAM"));
    REQUIRE(dynamic);
    CHECK(dynamic->has_interpreter);
    const auto fixed = read_elf(file_text("STATIC_PROGRAM"));
    REQUIRE(fixed);
    CHECK(fixed->is_native);
    CHECK_FALSE(fixed->has_interpreter);
    CHECK(fixed->needed.empty());
}

TEST_CASE("what is no ELF file, or one for another machine") {
    CHECK_FALSE(read_elf(""));
    CHECK_FALSE(read_elf("#!/bin/sh\n"));
    CHECK_FALSE(read_elf("\177ELF"));
    std::string bytes = file_text("EXIT_PROGRAM");
    reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_RISCV;
    REQUIRE(read_elf(bytes));
    CHECK_FALSE(read_elf(bytes)->is_native);
    bytes[EI_CLASS] = ELFCLASS32;
    REQUIRE(read_elf(bytes));
    CHECK_FALSE(read_elf(bytes)->is_native);
}

TEST_CASE("files that are cut off or damaged do no harm") {
    const std::string whole = file_text("EXIT_PROGRAM");
    for (std::size_t size = 0; size < whole.size(); size += 61)
        defines(std::string_view(whole).substr(0, size), "main");
    // The headers and the dynamic section, one damaged word at a time.
    for (std::size_t at = EI_NIDENT; at + 8 <= std::min<std::size_t>(whole.size(), 4096); at += 4) {
        std::string damaged = whole;
        std::memset(damaged.data() + at, 0xff, 8);
        read_elf(damaged);
        defines(damaged, "main");
    }
    CHECK(read_elf(whole));
}

TEST_CASE("paths that are no regular files are not opened") {
    CHECK_FALSE(FileBytes("/").is_open());
    CHECK_FALSE(FileBytes("/dev/null").is_open());
    CHECK_FALSE(FileBytes("/nowhere/at/all").is_open());
}
