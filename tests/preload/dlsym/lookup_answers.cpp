// What dlsym and dlerror answer, one line a question: the file that the answer lies in, or the message.
// Without the shim and with it the lines must be the same, but for those of which the tests say otherwise.
//
//   lookup_answers LIBCUBLAS FOREIGN      the two libraries to ask; FOREIGN has a cublasSgemm_v2 and is no
//   cuBLAS
//
// Linked to the library next_front, and by it to next_back and to libcublas.so.13.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

extern "C" const char* next_name_of_front();
extern "C" const char* next_name_seen_by_constructor();
extern "C" void* next_sgemm();

namespace {

const char* file_of(void* address) {
    Dl_info info{};
    if (address == nullptr || dladdr(address, &info) == 0) return "nowhere";
    const char* slash = std::strrchr(info.dli_fname, '/');
    return slash != nullptr ? slash + 1 : info.dli_fname;
}

const char* error() {
    const char* text = dlerror();
    return text != nullptr ? text : "none";
}

void ask(const char* question, void* handle, const char* name) {
    std::printf("%s: ", question);
    void* answer = dlsym(handle, name);
    std::printf("%s,", file_of(answer));
    std::printf(" error: %s,", error());
    std::printf(" then: %s\n", error());
}

}  // namespace

int main(int, char** argv) {
    std::printf("before: %s\n", error());
    void* cublas = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void* foreign = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (cublas == nullptr || foreign == nullptr) return 1;

    ask("no such name", cublas, "no_such_function");
    ask("no such name of cuBLAS's", cublas, "cublasSgemm_v3");
    ask("the v1 name", cublas, "cublasSgemm");
    ask("longer", cublas, "cublasSgemm_v2_6");
    ask("shorter", cublas, "cublasSgemm_v");
    ask("empty", cublas, "");
    ask("another function", cublas, "cublasDestroy_v2");
    ask("not of that library", dlopen("libm.so.6", RTLD_NOW), "cublasSgemm_v2");
    ask("sqrt", dlopen("libm.so.6", RTLD_NOW), "sqrt");
    ask("foreign", foreign, "cublasSgemm_v2");
    ask("RTLD_NEXT", RTLD_NEXT, "strlen");
    ask("RTLD_NEXT without any", RTLD_NEXT, "no_such_function");
    ask("RTLD_DEFAULT strlen", RTLD_DEFAULT, "strlen");

    const auto inside = reinterpret_cast<void* (*)(void*, const char*)>(dlsym(cublas, "stand_in_look_up"));
    std::printf("from inside cuBLAS: %s\n", file_of(inside(cublas, "cublasSgemm_v2")));
    void* versioned = dlvsym(cublas, "cublasSgemm_v2", "libcublas.so.13");
    std::printf("dlvsym: %s\n", file_of(versioned));

    std::printf("constructor's next: %s\n", next_name_seen_by_constructor());
    std::printf("next of front: %s\n", next_name_of_front());
    std::printf("next cublasSgemm_v2 of front: %s\n", file_of(next_sgemm()));

    // These differ under the shim.
    ask("* RTLD_DEFAULT", RTLD_DEFAULT, "cublasSgemm_v2");
    ask("* dlopen(NULL)", dlopen(nullptr, RTLD_NOW), "cublasSgemm_v2");
    ask("* cublasSgemm_v2", cublas, "cublasSgemm_v2");
    ask("* of a library behind it", dlopen("libnext_front.so", RTLD_NOW), "cublasSgemm_v2");
    ask("* of the other hook", RTLD_DEFAULT, "only_in_other_hook");
    dlsym(cublas, "no_such_function");
    ask("* after an error that nobody read", cublas, "cublasSgemm_v2_64");
    return 0;
}
