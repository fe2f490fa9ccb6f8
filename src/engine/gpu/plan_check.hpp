// Refuses Plans whose numbers do not fit together or do not fit the device. Plans come from files
// and from other programs too: what is checked here is what memory is copied by.
#pragma once

#include "tessera/plan.hpp"

namespace tessera::gpu {

/// Throws Error(invalid_argument) for a plan that contradicts itself, Error(out_of_memory) or
/// Error(unsupported) with the figures for one that is too large for the device.
void check_plan(const Plan& plan, const DeviceProfile& device);

}  // namespace tessera::gpu
