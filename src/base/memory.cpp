#include "base/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#elif defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace tessera {
namespace {

#if defined(__linux__)

/// The number in a file that holds just one; nothing for a missing file or the word "max".
std::optional<std::uint64_t> read_number(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    if (file >> number) return number;
    return std::nullopt;
}

std::optional<std::uint64_t> memory_available_to_system() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        unsigned long long kibibytes = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kibibytes) == 1) {
            return std::uint64_t{kibibytes} * 1024;
        }
    }
    return std::nullopt;
}

/// What is left under one group's limit. Pages of the file cache count as used and are given back
/// under pressure, so the inactive ones are added again.
std::optional<std::uint64_t> left_in_group(const std::string& folder, const char* limit_file,
                                           const char* usage_file, std::string_view cache_key) {
    const auto limit = read_number(folder + limit_file);
    const auto usage = read_number(folder + usage_file);
    if (!limit || !usage) return std::nullopt;
    std::uint64_t used = *usage;
    std::ifstream statistics(folder + "/memory.stat");
    std::string key;
    for (std::uint64_t value = 0; statistics >> key >> value;) {
        if (key == cache_key) used -= std::min(used, value);
    }
    return *limit - std::min(*limit, used);
}

/// The smallest allowance of our group and of those that contain it.
std::optional<std::uint64_t> memory_left_in_groups() {
    std::optional<std::uint64_t> least;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const auto controllers = line.find(':');
        const auto path = line.find(':', controllers + 1);
        if (controllers == std::string::npos || path == std::string::npos) continue;
        const std::string names = line.substr(controllers + 1, path - controllers - 1);
        const bool version2 = names.empty();
        if (!version2 && names != "memory") continue;
        const std::string root = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        // Inside a container the path may name the host's folder, which does not exist here; the
        // walk up to the root then still finds the container's own limit.
        std::string group = line.substr(path + 1);
        while (true) {
            if (group == "/") group.clear();
            const auto left =
                version2
                    ? left_in_group(root + group, "/memory.max", "/memory.current", "inactive_file")
                    : left_in_group(root + group, "/memory.limit_in_bytes",
                                    "/memory.usage_in_bytes", "total_inactive_file");
            if (left) least = std::min(least.value_or(*left), *left);
            if (group.empty()) break;
            group.erase(group.find_last_of('/'));
        }
    }
    return least;
}

#endif

}  // namespace

std::uint64_t available_memory() {
#if defined(__linux__)
    constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t available = std::min(memory_available_to_system().value_or(unknown),
                                             memory_left_in_groups().value_or(unknown));
    if (available != unknown) return available;
#endif
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof(status);
    return GlobalMemoryStatusEx(&status) ? status.ullAvailPhys : 0;
#elif defined(__unix__) || defined(__APPLE__)
#if defined(_SC_AVPHYS_PAGES)
    const long pages = sysconf(_SC_AVPHYS_PAGES);
#else
    const long pages = sysconf(_SC_PHYS_PAGES);
#endif
    const long page_size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_size <= 0) return 0;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
#else
    return 0;
#endif
}

std::string human_bytes(std::uint64_t bytes) {
    constexpr std::array units = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000.0;
        ++unit;
    }
    // Two significant figures at least: "1.1 GB", but "128 MB".
    return unit > 0 && value < 9.95 ? fmt::format("{:.1f} {}", value, units[unit])
                                    : fmt::format("{:.0f} {}", value, units[unit]);
}

}  // namespace tessera
