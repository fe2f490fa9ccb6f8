// Parameters that every operator which looks at pixel values has, described once.
#pragma once

#include <string>

#include "graph/define.hpp"
#include "tessera/histogram.hpp"

namespace tessera {

template <class Params>
auto luma_param(Luma Params::*member) {
    return param("luma", member)
        .help("weights of red, green and blue in luminance")
        .choices({{"bt709", Luma::bt709}, {"bt601", Luma::bt601}, {"bt2020", Luma::bt2020}});
}

template <class Params>
auto linear_param(bool Params::*member) {
    return param("linear", member).help("decode the transfer function before anything else");
}

template <class Params>
auto opaque_only_param(bool Params::*member) {
    return param("opaque-only", member).help("leave out pixels whose alpha is 0");
}

template <class Params>
auto roi_param(Rectangle Params::*member) {
    return param("roi", member)
        .help("x,y,width,height of the part to look at; 0,0,0,0: everything")
        .unit("px");
}

}  // namespace tessera
