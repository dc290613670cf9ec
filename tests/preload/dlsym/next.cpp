// Two libraries that define the same function, next_name(): NEXT_IS_FRONT asks with RTLD_NEXT for the
// other's, from a constructor too, which is how wrappers find what they wrap.
#include <dlfcn.h>

extern "C" {

#ifdef NEXT_IS_FRONT

int in_back();
int stand_in_look_up();

/// What the linker would drop otherwise: the two libraries that stand behind this one in the look-up order.
extern int (*const needed[])();
int (*const needed[])() = {in_back, stand_in_look_up};

const char* next_name() {
    return "front";
}

const char* next_name_of_front() {
    const auto next = reinterpret_cast<const char* (*)()>(dlsym(RTLD_NEXT, "next_name"));
    return next != nullptr ? next() : "none";
}

void* next_sgemm() {
    // Kept in a variable: a tail call would leave the caller's return address, and its module, behind.
    void* volatile found = dlsym(RTLD_NEXT, "cublasSgemm_v2");
    return found;
}

static const char* seen = "the constructor has not run";

const char* next_name_seen_by_constructor() {
    return seen;
}

[[gnu::constructor]] static void look_while_being_loaded() {
    seen = next_name_of_front();
}

#else

const char* next_name() {
    return "back";
}

int in_back() {
    return 0;
}

#endif

}  // extern "C"
