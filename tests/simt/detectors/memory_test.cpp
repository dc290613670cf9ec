// Faults in the use of memory and of the block's barrier are found, and said where.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "detector_test.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return nullptr;
}

namespace sgemm_shim::broken {

TEST_CASE("one float outside a buffer") {
    check_finding("read_past_end", "global read outside an operand",
                  {"0 bytes past the end of the allocation of 256 bytes",
                   "read of 4 bytes by thread 5 of block 0", "memory_kernels.cu:"});
    check_finding("read_before_begin", "global read outside an operand",
                  {"4 bytes before the allocation of 256 bytes", "by thread 5 of block 0"});
    check_finding("write_past_end", "global write outside an operand",
                  {"0 bytes past the end", "write of 4 bytes by thread 5 of block 0"});
}

TEST_CASE("one float outside a buffer that begins and ends anywhere") {
    for (const int misalignment : {0, 1, 2, 3}) {
        CAPTURE(misalignment);
        for (const char* kernel : {"read_past_end", "read_before_begin", "write_past_end"}) {
            CAPTURE(kernel);
            Memory memory(misalignment);
            CHECK(findings(kernel, memory).find("outside an operand") != std::string::npos);
        }
    }
}

TEST_CASE("a single poisoned float between valid ones") {
    for (const char* kernel : {"read_padding", "write_padding"}) {
        CAPTURE(kernel);
        Memory memory;
        CHECK(findings(kernel, memory) == "");
        memory.buffer.poison(33, 1);
        const std::string text = findings(kernel, memory);
        CAPTURE(text);
        CHECK(text.find("outside an operand") != std::string::npos);
        CHECK(text.find("(element 33)") != std::string::npos);
        CHECK(text.find("poisoned there (padding)") != std::string::npos);
        CHECK(text.find("by thread 7 of block 0") != std::string::npos);
        std::vector<float> values(64);
        memory.buffer.download(values);
        CHECK(findings(kernel, memory) == "");
    }
}

TEST_CASE("memory that was given back") {
    float* stale = nullptr;
    {
        Memory memory;
        stale = memory.buffer.data();
    }
    launch_by_name("with_barrier", stale);
    CHECK_THROWS_WITH_AS(testing::synchronize_backend(), doctest::Contains("outside an operand"),
                         std::runtime_error);
}

TEST_CASE("host code that reads device memory") {
    Memory memory;
    CHECK(read_on_host(memory.buffer.data()) == 0.0f);
    CHECK_THROWS_WITH_AS(testing::synchronize_backend(), doctest::Contains("host code reads device memory"),
                         std::runtime_error);
    testing::synchronize_backend();
}

TEST_CASE("16-byte accesses at other addresses") {
    check_finding("misaligned_vector_load", "misaligned access",
                  {"no multiple of 16", "read of 16 bytes by thread 3 of block 0", "memory_kernels.cu:"});
    check_finding("misaligned_vector_store", "misaligned access",
                  {"no multiple of 16", "write of 16 bytes by thread 3 of block 0"});
}

TEST_CASE("memory that a kernel cannot reach") {
    check_finding("host_pointer", "a kernel dereferences host memory", {"by thread 1 of block 0"});
    check_finding("foreign_local", "access to another thread's local memory", {"thread 1 of block 0"});
    check_finding("shared_said_to_be_global", "an address that is not of global memory");
    check_finding("shared_past_end", "access outside shared memory",
                  {"offset 256 of the block's 256 bytes", "by thread 9 of block 0"});
}

namespace {

/// What a child process that runs the kernel prints on stderr before it dies.
std::string last_words(const char* kernel) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        Memory memory;
        findings(kernel, memory);
        std::_Exit(0);
    }
    close(ends[1]);
    std::string text;
    char part[4096];
    for (ssize_t count; (count = read(ends[0], part, sizeof(part))) > 0;)
        text.append(part, static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status != 0);
    return text;
}

}  // namespace

TEST_CASE("an index outside an array inside shared memory") {
    const std::string text = last_words("past_the_row");
    CAPTURE(text);
    CHECK(text.find("out of bounds for type 'float") != std::string::npos);
    CHECK(text.find("memory_kernels.cu:") != std::string::npos);
    CHECK(text.find("of block 0 ran") != std::string::npos);
    CHECK(text.find("past_the_row") != std::string::npos);
}

TEST_CASE("races on shared memory") {
    check_finding("missing_barrier", "race on shared memory", {"earlier", "memory_kernels.cu:"});
    check_finding("missing_second_barrier", "race on shared memory", {"earlier", "memory_kernels.cu:"});
    check_finding("two_writers", "race on shared memory: two writes are not ordered", {"earlier"});
    check_clean("with_barrier");
}

TEST_CASE("races on global memory") {
    check_finding("two_global_writers", "race on global memory", {"write of 4 bytes"});
    check_finding("every_block_writes", "race on global memory", {}, 64, 2);
    check_clean("every_block_writes", 64, 1);
}

TEST_CASE("shared memory read before it is written") {
    check_finding("read_before_write", "shared memory read before it is written",
                  {"offset 68 of the 256 bytes", "thread 17 of block 0"});
}

TEST_CASE("a barrier that not all threads reach") {
    check_finding("early_exit", "a barrier that not all threads of the block reach",
                  {"60 threads (first: 0) waiting for the block's barrier at", "4 threads (first: 60) ended",
                   "memory_kernels.cu:"});
    check_finding("different_barriers", "the threads of a block wait at different barriers", {"earlier"});
}

}  // namespace sgemm_shim::broken
