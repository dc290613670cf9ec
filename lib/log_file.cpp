#include "log_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "settings.hpp"
#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

constexpr int not_open = -1;
constinit std::atomic<int> descriptor{not_open};

void expand_process_id(const char* pattern, TextBuffer& path) {
    for (const char* c = pattern; *c != '\0'; ++c) {
        if (c[0] == '%' && c[1] == 'p') {
            path.append("%d", static_cast<int>(getpid()));
            ++c;
        } else {
            path.append("%c", *c);
        }
    }
}

/// Programs that close and reopen low descriptors (0 to 2 above all) do not expect a log there.
int out_of_the_way(int opened) {
    constexpr int lowest = 100;
    const int moved = fcntl(opened, F_DUPFD_CLOEXEC, lowest);
    if (moved < 0) return opened;
    close(opened);
    return moved;
}

int open_log() {
    const char* pattern = process_settings().log_file;
    if (*pattern == '\0') return STDERR_FILENO;
    char storage[Settings::path_limit + 32];
    TextBuffer path(storage);
    expand_process_id(pattern, path);
    const int opened = open(path.data(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (opened >= 0) return out_of_the_way(opened);

    const int error = errno;
    char message[TextBuffer::foreign_limit + 256];
    TextBuffer line(message);
    line.append("sgemm-shim: SGEMM_SHIM_LOG_FILE: cannot open ");
    line.append_foreign(path.data());
    // Not strerror(), which allocates and follows the locale.
    const char* reason = strerrordesc_np(error);
    line.append(": %s; logging to stderr\n", reason != nullptr ? reason : "unknown error");
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.length());
    return STDERR_FILENO;
}

int log_descriptor() {
    int current = descriptor.load(std::memory_order_acquire);
    if (current != not_open) return current;
    const int opened = open_log();
    if (descriptor.compare_exchange_strong(current, opened, std::memory_order_acq_rel)) return opened;
    if (opened != STDERR_FILENO) close(opened);
    return current;
}

}  // namespace

void write_log(const char* text, std::size_t length) {
    const int saved_errno = errno;
    const int target = log_descriptor();
    while (length > 0) {
        const ssize_t written = write(target, text, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        text += written;
        length -= static_cast<std::size_t>(written);
    }
    errno = saved_errno;
}

bool reopen_log_in_child() {
    if (std::strstr(process_settings().log_file, "%p") == nullptr) return false;
    const int inherited = descriptor.exchange(not_open);
    if (inherited != not_open && inherited != STDERR_FILENO) close(inherited);
    return true;
}

}  // namespace sgemm_shim
