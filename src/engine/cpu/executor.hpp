// Runs graphs on the CPU, node by node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/engine.hpp"
#include "tessera/graph.hpp"

namespace tessera::cpu {

/// This machine's processor, the instruction set in use and the number of threads.
[[nodiscard]] AdapterInfo describe();

/// A graph with memory for every value between its nodes. One thread at a time.
class PreparedGraph {
public:
    explicit PreparedGraph(Graph graph);

    /// `outputs` are allocated to what the graph says.
    void run(std::span<const Data* const> inputs, std::span<Data* const> outputs);

    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }
    /// Wall time of each operator in the last run.
    [[nodiscard]] const std::vector<PassTiming>& timings() const noexcept { return timings_; }

private:
    /// Where each value is read from and written to in this run.
    void place(std::span<const Data* const> inputs, std::span<Data* const> outputs);

    Graph graph_;
    std::vector<Data> scratch_;         // of values that are neither input nor output
    std::vector<const Data*> sources_;  // by value
    std::vector<Data*> targets_;        // by value
    std::vector<const Data*> in_;       // of the node that runs
    std::vector<Data*> out_;
    std::vector<PassTiming> timings_;
};

}  // namespace tessera::cpu
