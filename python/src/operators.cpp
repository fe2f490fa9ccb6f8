#include "operators.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/error.hpp"

namespace tessera::python {
namespace {

constexpr std::array<std::pair<Transfer, const char*>, 4> transfers{
    {{Transfer::srgb, "srgb"},
     {Transfer::linear, "linear"},
     {Transfer::bt709, "bt709"},
     {Transfer::gamma22, "gamma22"}}};

nb::str text(const std::string& value) { return nb::str(value.c_str(), value.size()); }

nb::list port_list(const std::vector<PortSpec>& ports) {
    nb::list list;
    for (const PortSpec& port : ports) {
        nb::dict entry;
        entry["name"] = text(port.name);
        entry["help"] = text(port.help);
        entry["image"] = port.image;
        list.append(entry);
    }
    return list;
}

nb::dict param_entry(const ParamSpec& param) {
    nb::dict entry;
    entry["name"] = text(param.name);
    entry["help"] = text(param.help);
    entry["type"] = text(param.type);
    entry["unit"] = text(param.unit);
    entry["range"] = text(param.range);
    nb::list choices;
    for (const std::string& choice : param.choices) choices.append(text(choice));
    entry["choices"] = choices;
    entry["default"] = text(param.default_text);
    return entry;
}

}  // namespace

nb::list operator_table() {
    nb::list table;
    for (const Operator* op : operators()) {
        nb::dict entry;
        entry["name"] = text(op->name);
        entry["summary"] = text(op->summary);
        entry["source"] = text(op->source);
        entry["inputs"] = port_list(op->inputs);
        entry["outputs"] = port_list(op->outputs);
        nb::list params;
        for (const ParamSpec& param : op->params) params.append(param_entry(param));
        entry["params"] = params;
        table.append(entry);
    }
    return table;
}

const Operator& named_operator(const std::string& name) {
    const Operator* op = find_operator(name);
    if (op == nullptr) throw Error(ErrorCode::invalid_argument, "there is no operator " + name);
    return *op;
}

std::any read_params(const Operator& op, const nb::dict& texts) {
    std::any params = op.default_params();
    for (const auto& [key, value] : texts) {
        const auto name = nb::cast<std::string>(key);
        const auto spec = std::find_if(op.params.begin(), op.params.end(),
                                       [&](const ParamSpec& param) { return param.name == name; });
        if (spec == op.params.end()) {
            throw Error(ErrorCode::invalid_argument, op.name + " has no parameter " + name);
        }
        spec->set(params, nb::cast<std::string>(value));
    }
    return params;
}

Transfer transfer_named(const std::string& name) {
    for (const auto& [transfer, known] : transfers) {
        if (name == known) return transfer;
    }
    throw Error(ErrorCode::invalid_argument,
                "transfer = " + name + " is none of srgb, linear, bt709, gamma22");
}

const char* name_of(Transfer transfer) {
    return std::find_if(transfers.begin(), transfers.end(),
                        [&](const auto& known) { return known.first == transfer; })
        ->second;
}

Prepared OperatorCache::take(Engine& engine, const std::string& key, const Graph& graph) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const Entry& entry) { return entry.key == key; });
        if (found != entries_.end()) {
            Prepared prepared = std::move(found->prepared);
            entries_.erase(found);
            return prepared;
        }
    }
    return engine.prepare(graph);
}

void OperatorCache::give_back(std::string key, Prepared prepared) {
    std::list<Entry> old;  // goes after the lock does
    const std::lock_guard lock(mutex_);
    entries_.push_front({std::move(key), std::move(prepared)});
    if (entries_.size() > most) old.splice(old.begin(), entries_, std::prev(entries_.end()));
}

}  // namespace tessera::python
