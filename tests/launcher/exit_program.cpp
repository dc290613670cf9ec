// Started through the launcher: exit_program print [variable]... | exit N | kill N
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "print") == 0) {
        for (int i = 2; i < argc; ++i) {
            const char* value = std::getenv(argv[i]);
            std::printf("%s=%s\n", argv[i], value != nullptr ? value : "(unset)");
        }
        return 0;
    }
    if (argc == 3 && std::strcmp(argv[1], "exit") == 0) return std::atoi(argv[2]);
    if (argc == 3 && std::strcmp(argv[1], "kill") == 0) std::raise(std::atoi(argv[2]));
    return 99;
}
