#include "Patterns.hpp"

#include <cctype>

namespace schema {

// Bytes that the program and the caches of one pattern may take. RE2 becomes slower when its caches are full.
static constexpr int64_t patternMemory = 1 << 20;

// Rewrites what ECMA 262 spells differently. Everything else means the same in RE2, or RE2 refuses it.
static std::string translated(std::string_view pattern, std::string &fault) {
    std::string text;
    for (size_t at = 0; at < pattern.size(); ++at) {
        if (pattern[at] != '\\' || at + 1 == pattern.size()) {
            text += pattern[at];
            continue;
        }
        auto hexadecimal = [&](size_t begin, size_t count) {
            if (begin + count > pattern.size()) { return false; }
            for (size_t digit = begin; digit < begin + count; ++digit) {
                if (!std::isxdigit(static_cast<unsigned char>(pattern[digit]))) { return false; }
            }
            return true;
        };
        char escaped = pattern[++at];
        if (escaped == 'u' && hexadecimal(at + 1, 4)) {
            text += "\\x{" + std::string(pattern.substr(at + 1, 4)) + "}";
            at += 4;
        } else if (escaped == 'A' || escaped == 'z' || escaped == 'Q' || escaped == 'C' || escaped == 'a') {
            // These belong to RE2 alone; other readers of the schema would not know them.
            fault = std::string("invalid escape sequence: \\") + escaped;
        } else {
            text += '\\';
            text += escaped;
        }
    }
    return text;
}

std::unique_ptr<const RE2> compilePattern(std::string_view pattern, std::string &fault) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(patternMemory);
    const std::string text = translated(pattern, fault);
    if (!fault.empty()) { return nullptr; }
    auto compiled = std::make_unique<const RE2>(text, options);
    if (compiled->ok()) { return compiled; }
    fault = compiled->error();
    return nullptr;
}

bool matches(const RE2 &pattern, std::string_view text) { return RE2::PartialMatch(text, pattern); }

}  // namespace schema
