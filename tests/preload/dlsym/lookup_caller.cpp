// Looks up the cuBLAS libraries that are named, all before the first call, and calls them in turn, twice.
// Prints the statuses. With --deepbind first, the libraries are opened with RTLD_DEEPBIND; with --threads,
// eight threads look the first library up and call it at once.
#include <cstring>
#include <thread>
#include <vector>

#include "lookup.hpp"

namespace {

void call(const LookedUp& library) {
    cublasHandle_t handle = nullptr;
    const int created = library.create(&handle);
    const int logger = library.logger(0, 0, 0, nullptr);
    const int null = multiply(library, nullptr);
    if (handle != nullptr)
        std::printf("create=%d logger=%d null=%d sgemm=%d sgemm_64=%d\n", created, logger, null,
                    multiply(library, handle), multiply_64(library, handle));
    else
        std::printf("logger=%d null=%d\n", logger, null);
}

int call_from_threads(const char* path) {
    std::vector<int> statuses(8);
    std::vector<std::thread> threads;
    for (int& status : statuses)
        threads.emplace_back([&status, path] {
            const LookedUp library = look_up(path);
            cublasHandle_t handle = nullptr;
            library.create(&handle);
            status = multiply(library, handle);
        });
    for (std::thread& thread : threads) thread.join();
    for (const int status : statuses) std::printf("%d ", status);
    std::printf("\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "--threads") == 0) return call_from_threads(argv[2]);
    const bool deep = argc > 1 && std::strcmp(argv[1], "--deepbind") == 0;
    std::vector<LookedUp> libraries;
    for (int i = deep ? 2 : 1; i < argc; ++i) libraries.push_back(look_up(argv[i], deep ? RTLD_DEEPBIND : 0));
    for (int repeat = 0; repeat < 2; ++repeat) {
        for (const LookedUp& library : libraries) call(library);
    }
    return 0;
}
