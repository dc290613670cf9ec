// Plays calls into the record as the shim would, in a process with settings of its own. The first argument
// names the scene.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "kernel_table.hpp"
#include "record.hpp"
#include "sample_calls.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::address_of_nothing;
using sgemm_shim::testing::legal_call;

namespace {

void serve(const GemmCall& call) {
    record(EntryPoint::sgemm, call, {find_kernel("naive"), ForwardReason::none}, 0);
}

void forward(const GemmCall& call, ForwardReason reason, int status) {
    record(EntryPoint::sgemm_64, call, {nullptr, reason}, status);
}

void two_calls() {
    GemmCall call = legal_call(Operation::transpose, Operation::none);
    call.a.first = address_of_nothing(0x1004);
    call.b.first = address_of_nothing(0x2008);
    call.c.first = address_of_nothing(0x300c);
    serve(call);
    call = legal_call(Operation::none, static_cast<Operation>(9));
    call.m = -1;
    call.n = std::int64_t{1} << 40;
    call.alpha = nullptr;
    call.beta = address_of_nothing(0x10);  // an illegal call's scalars are not looked at
    call.a.stride = -3;
    forward(call, ForwardReason::invalid, 7);
}

void scalars() {
    const float values[] = {0.0f, -0.0f, 1.0f, 2.5f};
    for (const float& value : values) {
        GemmCall call = legal_call();
        call.alpha = call.beta = &value;
        serve(call);
    }
    GemmCall call = legal_call();
    call.pointer_mode = PointerMode::device;
    call.alpha = address_of_nothing(0x10);
    call.beta = nullptr;
    serve(call);
    call.pointer_mode = PointerMode::unknown;
    forward(call, ForwardReason::handle, 1);
}

void shapes() {
    GemmCall call = legal_call();
    for (int repeat = 0; repeat < 3; ++repeat) {
        call.m = 5;
        serve(call);
        forward(call, ForwardReason::tf32, 0);
        call.a.first = address_of_nothing(0x100 * (repeat + 1));  // where operands lie makes no new shape
        serve(call);
        call.m = 6;
        serve(call);
        call.operation_b = repeat == 0 ? Operation::transpose : Operation::conjugate_transpose;
        serve(call);
        call.operation_b = Operation::none;
    }
}

/// A parent of three calls, a child of two, and one that makes none.
void fork_twice() {
    for (int i = 0; i < 3; ++i) serve(legal_call());
    for (const int calls : {2, 0}) {
        if (fork() == 0) {
            for (int i = 0; i < calls; ++i) forward(legal_call(), ForwardReason::tf32, 0);
            report_at_exit();
            _exit(0);
        }
        wait(nullptr);
    }
}

void threads() {
    std::vector<std::thread> all;
    for (int thread = 0; thread < 8; ++thread) {
        all.emplace_back([] {
            for (int i = 0; i < 500; ++i) serve(legal_call());
        });
    }
    for (std::thread& thread : all) thread.join();
}

int open_descriptors() {
    int count = 0;
    DIR* directory = opendir("/proc/self/fd");
    while (readdir(directory) != nullptr) ++count;
    closedir(directory);
    return count;
}

/// errno survives, and one descriptor is all that a log file costs.
int errno_and_descriptors() {
    const int before = open_descriptors();
    for (int i = 0; i < 100; ++i) {
        errno = EDOM;
        serve(legal_call());
        if (errno != EDOM) return 1;
    }
    return open_descriptors() - before <= 1 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view scene = argc > 1 ? argv[1] : "";
    int status = 0;
    if (scene == "two calls")
        two_calls();
    else if (scene == "scalars")
        scalars();
    else if (scene == "shapes")
        shapes();
    else if (scene == "fork")
        fork_twice();
    else if (scene == "threads")
        threads();
    else if (scene == "errno")
        status = errno_and_descriptors();
    else if (scene != "no call")
        return 99;
    report_at_exit();
    return status;
}
