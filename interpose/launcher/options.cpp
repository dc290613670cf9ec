#include "options.hpp"

#include <algorithm>
#include <optional>

#include "printable.hpp"
#include "settings.hpp"

namespace sgemm_shim::launcher {
namespace {

constexpr OptionDescription value_options[] = {
    {"--kernel", "K", "SGEMM_SHIM_KERNEL"},    {"--tf32", "P", "SGEMM_SHIM_TF32"},
    {"--log", "L", "SGEMM_SHIM_LOG"},          {"--log-file", "F", "SGEMM_SHIM_LOG_FILE"},
    {"--cublas", "PATH", "SGEMM_SHIM_CUBLAS"},
};

struct ActionOption {
    std::string_view name;
    Action action;
    bool takes_program;
};

constexpr ActionOption action_options[] = {
    {"--list", Action::list, false},       {"--doctor", Action::doctor, true},
    {"--version", Action::version, false}, {"--help", Action::help, false},
    {"-h", Action::help, false},
};

Options usage_error(std::string error) {
    Options options;
    options.error = printable(std::move(error));
    return options;
}

std::string text(std::string_view view) {
    return std::string(view);
}

/// What the library itself would say about the value, or nothing if it takes it.
std::optional<std::string> complaint_about(const Assignment& assignment) {
    // parse_settings() reports through a plain function pointer.
    static thread_local std::optional<std::string> complaint;
    complaint.reset();
    const std::string entry = assignment.variable + "=" + assignment.value;
    const char* const environment[] = {entry.c_str(), nullptr};
    parse_settings(environment, [](const char* line) {
        constexpr std::string_view prefix = "sgemm-shim: ";
        std::string_view message = line;
        if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
        complaint = text(message);
    });
    return complaint;
}

const OptionDescription* find_value_option(std::string_view name) {
    const auto* found = std::ranges::find(value_options, name, &OptionDescription::name);
    return found != std::end(value_options) ? found : nullptr;
}

const ActionOption* find_action_option(std::string_view name) {
    const auto* found = std::ranges::find(action_options, name, &ActionOption::name);
    return found != std::end(action_options) ? found : nullptr;
}

/// The last of several values for one variable counts.
void assign(std::vector<Assignment>& settings, Assignment assignment) {
    const auto found = std::ranges::find(settings, assignment.variable, &Assignment::variable);
    if (found != settings.end())
        *found = std::move(assignment);
    else
        settings.push_back(std::move(assignment));
}

}  // namespace

Options parse_options(std::span<const std::string_view> arguments) {
    Options options;
    const ActionOption* action = nullptr;
    std::size_t next = 0;
    for (; next < arguments.size(); ++next) {
        const std::string_view argument = arguments[next];
        if (argument == "--") {
            ++next;
            break;
        }
        if (!argument.starts_with('-')) break;

        if (const ActionOption* found = find_action_option(argument)) {
            // Help is given whenever it is asked for.
            if (action == nullptr || found->action == Action::help)
                action = found;
            else if (action->action != Action::help && action->action != found->action)
                return usage_error(text(action->name) + " and " + text(found->name) + " do not go together");
            continue;
        }
        const std::size_t equals = argument.find('=');
        const std::string_view name = argument.substr(0, equals);
        const OptionDescription* option = find_value_option(name);
        if (option == nullptr) return usage_error("unknown option " + shortened(text(name)));
        if (equals == std::string_view::npos && ++next == arguments.size())
            return usage_error(text(name) + " needs a value");
        Assignment assignment{
            option->variable,
            text(equals == std::string_view::npos ? arguments[next] : argument.substr(equals + 1))};
        // The library takes an empty value for an unset variable; on a command line it is a mistake.
        if (assignment.value.empty()) return usage_error(text(name) + " needs a value");
        // A command line cannot hold this, but a caller of this function can.
        if (assignment.value.find('\0') != std::string::npos)
            return usage_error(text(name) + ": a value cannot hold a NUL");
        if (const auto complaint = complaint_about(assignment))
            return usage_error(text(name) + ": " + *complaint);
        assign(options.settings, std::move(assignment));
    }

    for (const std::string_view argument : arguments.subspan(next)) options.program.push_back(text(argument));
    if (action != nullptr && action->action == Action::help) {
        options.action = Action::help;
        return options;
    }
    if (action != nullptr) {
        if (!action->takes_program && !options.program.empty())
            return usage_error(text(action->name) + " takes no program");
        if (!action->takes_program && !options.settings.empty())
            return usage_error(text(action->name) + " takes no other option");
        options.action = action->action;
        return options;
    }
    if (options.program.empty()) return usage_error("no program given");
    if (options.program.front().empty()) return usage_error("the program's name is empty");
    options.action = Action::run;
    return options;
}

std::span<const OptionDescription> option_descriptions() {
    return value_options;
}

}  // namespace sgemm_shim::launcher
