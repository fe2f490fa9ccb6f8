// The operator table for Python, and operators that run by themselves.
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "tessera/engine.hpp"
#include "tessera/operator.hpp"

namespace tessera::python {

/// The table as a list of dicts, with the fields of Operator, PortSpec and ParamSpec.
[[nodiscard]] nb::list operator_table();

/// By name; throws Error(invalid_argument) where there is none.
[[nodiscard]] const Operator& named_operator(const std::string& name);

/// Parameters from their text forms by name; what is not named keeps its default.
[[nodiscard]] std::any read_params(const Operator& op, const nb::dict& texts);

[[nodiscard]] Transfer transfer_named(const std::string& name);
[[nodiscard]] const char* name_of(Transfer transfer);

/// What single operators were prepared as, to be used again: the last few of an engine, each for
/// its operator, parameters and inputs. Thread-safe; one that is running is not in here.
class OperatorCache {
public:
    /// Prepared for `graph`, which `key` tells apart from all others.
    [[nodiscard]] Prepared take(Engine& engine, const std::string& key, const Graph& graph);
    void give_back(std::string key, Prepared prepared);

private:
    static constexpr std::size_t most = 8;

    struct Entry {
        std::string key;
        Prepared prepared;
    };
    std::mutex mutex_;
    std::list<Entry> entries_;  // the last used first
};

}  // namespace tessera::python
