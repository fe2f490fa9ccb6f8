#include "base/log.hpp"

#include <atomic>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace tessera::log {
namespace {

std::atomic<Level> current_level{Level::normal};

// A logger of our own, not spdlog's default one: that belongs to the program that uses the library.
// Never destroyed, so that destructors of static objects may still log.
spdlog::logger& logger() {
    static spdlog::logger& instance = *[] {
        auto made = std::make_unique<spdlog::logger>(
            "tessera", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("tessera: %v");
        made->set_level(spdlog::level::trace);
        return made.release();
    }();
    return instance;
}

}  // namespace

void set_level(Level level) noexcept { current_level.store(level, std::memory_order_relaxed); }

Level level() noexcept { return current_level.load(std::memory_order_relaxed); }

void write_warning(std::string_view text) { logger().warn("{}", text); }

void write_note(std::string_view text) { logger().info("{}", text); }

void write_verbose(std::string_view text) { logger().debug("{}", text); }

}  // namespace tessera::log
