// A pointer for each thread, without thread_local. The CUDA runtime inside this library has exactly a page of
// thread-local variables; one more variable beside them makes it two, and a thread with the smallest stack
// that the system allows could then not be started in any process that loads the library, whether it uses
// CUDA or not.
#pragma once

#include <pthread.h>

namespace sgemm_shim {

/// Each Tag is a variable of its own. NULL until set, and always where the system has no keys left.
template <class Tag>
class ThreadPointer {
  public:
    static void* get() { return has_key() ? pthread_getspecific(key_) : nullptr; }

    /// False if it could not be stored.
    static bool set(const void* value) { return has_key() && pthread_setspecific(key_, value) == 0; }

  private:
    static bool has_key() {
        pthread_once(&once_, [] { has_key_ = pthread_key_create(&key_, nullptr) == 0; });
        return has_key_;
    }

    static inline constinit pthread_once_t once_ = PTHREAD_ONCE_INIT;
    static inline constinit pthread_key_t key_{};
    static inline constinit bool has_key_ = false;
};

}  // namespace sgemm_shim
