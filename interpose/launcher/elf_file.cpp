#include "elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

namespace sgemm_shim::launcher {
namespace {

constexpr unsigned int native_machine =
#if defined(__x86_64__)
    EM_X86_64;
#elif defined(__aarch64__)
    EM_AARCH64;
#else
    EM_NONE;
#endif

/// A copy of the structure at `offset`, or nothing if it does not lie inside the file.
template <class Structure>
std::optional<Structure> read_at(std::string_view bytes, std::uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(Structure)) return std::nullopt;
    Structure structure;
    std::memcpy(&structure, bytes.data() + offset, sizeof structure);
    return structure;
}

std::string string_at(std::string_view bytes, std::uint64_t offset) {
    if (offset >= bytes.size()) return {};
    const std::string_view rest = bytes.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
}

/// Walks one file. Addresses become offsets through the loadable segments.
class Reader {
  public:
    Reader(std::string_view bytes, const Elf64_Ehdr& header) : bytes_(bytes) {
        for (unsigned int i = 0; i < header.e_phnum; ++i) {
            const auto segment =
                read_at<Elf64_Phdr>(bytes, header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
            if (!segment) break;
            segments_.push_back(*segment);
        }
    }

    void read(ElfFile& file) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_INTERP) file.has_interpreter = true;
            if (segment.p_type != PT_DYNAMIC) continue;
            file.is_dynamic = true;
            read_dynamic(segment, file);
        }
    }

  private:
    std::uint64_t offset_of(std::uint64_t address) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz)
                return segment.p_offset + (address - segment.p_vaddr);
        }
        return bytes_.size();
    }

    std::vector<Elf64_Dyn> dynamic_entries(const Elf64_Phdr& segment) const {
        std::vector<Elf64_Dyn> entries;
        for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
            const auto entry = read_at<Elf64_Dyn>(bytes_, segment.p_offset + at);
            if (!entry || entry->d_tag == DT_NULL) break;
            entries.push_back(*entry);
        }
        return entries;
    }

    void read_dynamic(const Elf64_Phdr& segment, ElfFile& file) const {
        const std::vector<Elf64_Dyn> entries = dynamic_entries(segment);
        std::uint64_t strings = bytes_.size();
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
        }
        const auto text = [&](std::uint64_t offset) {
            return offset < bytes_.size() ? string_at(bytes_, strings + offset) : std::string{};
        };
        std::uint64_t versions = bytes_.size();
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == DT_NEEDED) file.needed.push_back(text(entry.d_un.d_val));
            if (entry.d_tag == DT_SONAME) file.soname = text(entry.d_un.d_val);
            if (entry.d_tag == DT_RPATH) file.rpath = text(entry.d_un.d_val);
            if (entry.d_tag == DT_RUNPATH) file.runpath = text(entry.d_un.d_val);
            if (entry.d_tag == DT_VERNEED) versions = offset_of(entry.d_un.d_ptr);
        }
        read_versions(versions, text, file);
    }

    /// Two chained lists, each link a distance forward, 0 at the end. A damaged file could make the walk
    /// long.
    template <class Text>
    void read_versions(std::uint64_t at, Text text, ElfFile& file) const {
        int steps_left = 10000;
        while (const auto library = read_at<Elf64_Verneed>(bytes_, at)) {
            std::uint64_t version_at = at + library->vn_aux;
            while (const auto version = read_at<Elf64_Vernaux>(bytes_, version_at)) {
                note_glibc(text(version->vna_name), file);
                if (version->vna_next == 0 || --steps_left < 0) break;
                version_at += version->vna_next;
            }
            if (library->vn_next == 0 || --steps_left < 0) break;
            at += library->vn_next;
        }
    }

    static void note_glibc(std::string_view version, ElfFile& file) {
        constexpr std::string_view prefix = "GLIBC_";
        if (!version.starts_with(prefix)) return;
        version.remove_prefix(prefix.size());
        int major = 0;
        int minor = 0;
        const char* const end = version.data() + version.size();
        const auto [point, error] = std::from_chars(version.data(), end, major);
        if (error != std::errc{} || point == end || *point != '.') return;
        if (std::from_chars(point + 1, end, minor).ec != std::errc{}) return;
        if (major > file.glibc_major || (major == file.glibc_major && minor > file.glibc_minor)) {
            file.glibc_major = major;
            file.glibc_minor = minor;
        }
    }

    std::string_view bytes_;
    std::vector<Elf64_Phdr> segments_;
};

std::optional<Elf64_Shdr> section_at(std::string_view bytes, const Elf64_Ehdr& header, unsigned int index) {
    return read_at<Elf64_Shdr>(bytes, header.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr));
}

}  // namespace

FileBytes::FileBytes(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return;
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        open_ = true;
        if (status.st_size > 0) {
            const auto size = static_cast<std::size_t>(status.st_size);
            void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
            if (mapped != MAP_FAILED) {
                data_ = static_cast<const char*>(mapped);
                size_ = size;
            } else {
                open_ = false;
            }
        }
    }
    close(descriptor);
}

FileBytes::~FileBytes() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

std::optional<ElfFile> read_elf(std::string_view bytes) {
    if (bytes.size() < EI_NIDENT || !bytes.starts_with(ELFMAG)) return std::nullopt;
    ElfFile file;
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB) return file;
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header) return std::nullopt;
    file.is_native = header->e_machine == native_machine;
    if (header->e_phentsize == sizeof(Elf64_Phdr)) Reader(bytes, *header).read(file);
    return file;
}

bool defines(std::string_view bytes, std::string_view symbol) {
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!read_elf(bytes) || !header || header->e_shentsize != sizeof(Elf64_Shdr)) return false;
    for (unsigned int i = 0; i < header->e_shnum; ++i) {
        const auto section = section_at(bytes, *header, i);
        if (!section || section->sh_type != SHT_DYNSYM) continue;
        const auto strings = section_at(bytes, *header, section->sh_link);
        if (!strings) continue;
        for (std::uint64_t at = 0; at < section->sh_size; at += sizeof(Elf64_Sym)) {
            const auto entry = read_at<Elf64_Sym>(bytes, section->sh_offset + at);
            if (!entry) break;
            if (entry->st_shndx != SHN_UNDEF &&
                string_at(bytes, strings->sh_offset + entry->st_name) == symbol)
                return true;
        }
    }
    return false;
}

}  // namespace sgemm_shim::launcher
