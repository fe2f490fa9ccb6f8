// Declaring an operator: member pointers of its parameter struct become ParamSpecs, so that name,
// type, default, range and unit are written once.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "tessera/operator.hpp"
#include "tessera/params.hpp"

namespace tessera {

namespace param_text {
// The text form of each type of parameter. Readers throw Error(invalid_argument).
bool read_switch(std::string_view name, std::string_view text);
std::int64_t read_integer(std::string_view name, std::string_view text);
double read_number(std::string_view name, std::string_view text);
ValueRange read_range(std::string_view name, std::string_view text);
Rectangle read_rectangle(std::string_view name, std::string_view text);
CanvasSize read_size(std::string_view name, std::string_view text);
Palette read_palette(std::string_view name, std::string_view text);
std::string write(double number);
std::string write(const ValueRange& range);
std::string write(const Rectangle& rectangle);
std::string write(const CanvasSize& size);
std::string write(const Palette& palette);
[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view problem,
                         std::string_view help);
}  // namespace param_text

/// Builds the ParamSpec of one member. `Params` is the operator's parameter struct.
template <class Params, class T>
class ParamBuilder {
public:
    ParamBuilder(std::string name, T Params::*member) : member_(member) {
        spec_.name = std::move(name);
        if constexpr (std::same_as<T, bool>) {
            spec_.type = "switch";
        } else if constexpr (std::integral<T>) {
            spec_.type = "integer";
        } else if constexpr (std::floating_point<T>) {
            spec_.type = "number";
        } else if constexpr (std::same_as<T, ValueRange>) {
            spec_.type = "range";
        } else if constexpr (std::same_as<T, Rectangle>) {
            spec_.type = "rectangle";
        } else if constexpr (std::same_as<T, CanvasSize>) {
            spec_.type = "size";
        } else if constexpr (std::same_as<T, Palette>) {
            spec_.type = "colours";
        } else {
            static_assert(std::is_enum_v<T>, "no text form for this type of parameter");
            spec_.type = "choice";
        }
    }

    ParamBuilder&& help(std::string text) && {
        spec_.help = std::move(text);
        return std::move(*this);
    }
    ParamBuilder&& unit(std::string text) && {
        spec_.unit = std::move(text);
        return std::move(*this);
    }
    /// Values from `low` to `high`, both included.
    ParamBuilder&& range(double low, double high) && {
        low_ = low;
        high_ = high;
        spec_.range = param_text::write(low) + ".." + param_text::write(high);
        return std::move(*this);
    }
    ParamBuilder&& choices(std::vector<std::pair<std::string, T>> names) && {
        for (const auto& choice : names) spec_.choices.push_back(choice.first);
        names_ = std::move(names);
        return std::move(*this);
    }

    [[nodiscard]] ParamSpec build() && {
        const auto self = *this;
        spec_.set = [self](std::any& params, std::string_view text) {
            std::any_cast<Params>(&params)->*self.member_ = self.read(text);
        };
        spec_.get = [self](const std::any& params) {
            return self.write(std::any_cast<Params>(&params)->*self.member_);
        };
        spec_.check = [self](const std::any& params) {
            self.check(std::any_cast<Params>(&params)->*self.member_);
        };
        spec_.default_text = write(Params{}.*member_);
        return std::move(spec_);
    }

private:
    [[nodiscard]] T read(std::string_view text) const {
        const std::string_view name = spec_.name;
        if constexpr (std::same_as<T, bool>) {
            return param_text::read_switch(name, text);
        } else if constexpr (std::integral<T>) {
            const std::int64_t value = param_text::read_integer(name, text);
            if (!std::in_range<T>(value)) check_number(static_cast<double>(value));
            return static_cast<T>(value);
        } else if constexpr (std::floating_point<T>) {
            return static_cast<T>(param_text::read_number(name, text));
        } else if constexpr (std::same_as<T, ValueRange>) {
            return param_text::read_range(name, text);
        } else if constexpr (std::same_as<T, Rectangle>) {
            return param_text::read_rectangle(name, text);
        } else if constexpr (std::same_as<T, CanvasSize>) {
            return param_text::read_size(name, text);
        } else if constexpr (std::same_as<T, Palette>) {
            return param_text::read_palette(name, text);
        } else {
            std::string known;
            for (const auto& [choice, value] : names_) {
                if (choice == text) return value;
                known += (known.empty() ? "" : ", ") + choice;
            }
            param_text::refuse(name, text, "is none of " + known, spec_.help);
        }
    }

    [[nodiscard]] std::string write(const T& value) const {
        if constexpr (std::same_as<T, bool>) {
            return value ? "on" : "off";
        } else if constexpr (std::is_arithmetic_v<T>) {
            return param_text::write(static_cast<double>(value));
        } else if constexpr (std::is_enum_v<T>) {
            for (const auto& [choice, known] : names_) {
                if (known == value) return choice;
            }
            return std::to_string(static_cast<int>(value));
        } else {
            return param_text::write(value);
        }
    }

    void check(const T& value) const {
        if constexpr (std::is_arithmetic_v<T> && !std::same_as<T, bool>) {
            check_number(static_cast<double>(value));
        } else if constexpr (std::is_enum_v<T>) {
            for (const auto& choice : names_) {
                if (choice.second == value) return;
            }
            param_text::refuse(spec_.name, write(value), "is none of the choices", spec_.help);
        } else if constexpr (!std::same_as<T, bool>) {
            (void)read(write(value));  // the text form's own rules hold for values set in code too
        }
    }

    void check_number(double value) const {
        if (spec_.range.empty()) return;
        const std::string text = param_text::write(value);
        if (value < low_) {
            param_text::refuse(spec_.name, text, "is below " + param_text::write(low_), spec_.help);
        }
        if (value > high_) {
            param_text::refuse(spec_.name, text, "is above " + param_text::write(high_),
                               spec_.help);
        }
        if (!(value >= low_)) param_text::refuse(spec_.name, text, "is no number", spec_.help);
    }

    T Params::*member_;
    ParamSpec spec_;
    double low_ = 0, high_ = 0;
    std::vector<std::pair<std::string, T>> names_;
};

template <class Params, class T>
ParamBuilder<Params, T> param(std::string name, T Params::*member) {
    return {std::move(name), member};
}

/// Collects built parameters: `params(param(...).help(...), param(...)...)`.
template <class... Builders>
std::vector<ParamSpec> params(Builders&&... builders) {
    std::vector<ParamSpec> specs;
    (specs.push_back(std::forward<Builders>(builders).build()), ...);
    return specs;
}

/// An operator's table entry, given its parameter struct.
template <class Params>
Operator define(Operator op) {
    op.default_params = [] { return std::any(Params{}); };
    return op;
}

}  // namespace tessera
