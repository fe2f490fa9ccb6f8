#include <iostream>
#include <tessera/image.hpp>

int main() {
    const tessera::Image img({tessera::SampleType::u8, 4}, 8, 8);
    std::cout << img.width() << '\n';
    return img.width() == 8 ? 0 : 1;
}
