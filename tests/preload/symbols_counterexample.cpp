// A library with every fault that check_symbols.py looks for; the build adds those of the linker.
#include <cstdlib>

[[gnu::tls_model("initial-exec")]] thread_local int static_room[2048] = {};

extern "C" {

int stand_in_state();

int cublasSgemm() {
    return std::getenv("PATH") != nullptr ? stand_in_state() : static_room[1024];
}

}  // extern "C"

// An absolute address in the code, which the loader would have to write there.
asm(".text\n"
    "sgemm_shim_text_relocation:\n"
#if defined(__x86_64__)
    "    movabs $cublasSgemm, %rax\n"
#else
    "    .xword cublasSgemm\n"
#endif
);
