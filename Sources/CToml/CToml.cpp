#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include "CToml.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <toml++/toml.h>

struct CTomlDocument {
    toml::table root;
};

static const toml::node &node(const CTomlNode *opaque) { return *reinterpret_cast<const toml::node *>(opaque); }
static const CTomlNode *opaque(const toml::node &node) { return reinterpret_cast<const CTomlNode *>(&node); }

CTomlDocument *CTomlParse(const char *text, size_t length, CTomlFault *fault) {
    toml::parse_result result = toml::parse(std::string_view(text, length));
    if (result.failed()) {
        const toml::parse_error &error = result.error();
        std::string_view message = error.description();
        size_t count = std::min(message.size(), sizeof(fault->message) - 1);
        std::memcpy(fault->message, message.data(), count);
        fault->message[count] = 0;
        fault->line = error.source().begin.line;
        return nullptr;
    }
    return new (std::nothrow) CTomlDocument{std::move(result).table()};
}

void CTomlFree(CTomlDocument *document) { delete document; }

const CTomlNode *CTomlRoot(const CTomlDocument *document) { return opaque(document->root); }

CTomlKind CTomlKindOf(const CTomlNode *value) {
    switch (node(value).type()) {
    case toml::node_type::array: return CTomlArray;
    case toml::node_type::string: return CTomlString;
    case toml::node_type::integer: return CTomlInteger;
    case toml::node_type::floating_point: return CTomlFloat;
    case toml::node_type::boolean: return CTomlBoolean;
    case toml::node_type::date: return CTomlDate;
    case toml::node_type::time: return CTomlTime;
    case toml::node_type::date_time: return CTomlDateTime;
    case toml::node_type::none:
    case toml::node_type::table: break;
    }
    return CTomlTable;
}

uint32_t CTomlLineOf(const CTomlNode *value) { return node(value).source().begin.line; }

const char *CTomlStringOf(const CTomlNode *value, size_t *length) {
    const std::string &text = node(value).as_string()->get();
    *length = text.size();
    return text.data();
}

int64_t CTomlIntegerOf(const CTomlNode *value) { return node(value).as_integer()->get(); }

double CTomlFloatOf(const CTomlNode *value) { return node(value).as_floating_point()->get(); }

bool CTomlBooleanOf(const CTomlNode *value) { return node(value).as_boolean()->get(); }

size_t CTomlTimeOf(const CTomlNode *value, char *text, size_t size) {
    const toml::node &time = node(value);
    if (const auto *date = time.as_date()) {
        return std::snprintf(text, size, "%04u-%02u-%02u", date->get().year, date->get().month, date->get().day);
    }
    const toml::time &clock = time.is_time() ? time.as_time()->get() : time.as_date_time()->get().time;
    size_t length = 0;
    if (const auto *both = time.as_date_time()) {
        const toml::date &date = both->get().date;
        length += std::snprintf(text, size, "%04u-%02u-%02uT", date.year, date.month, date.day);
    }
    length += std::snprintf(text + length, size - length, "%02u:%02u:%02u", clock.hour, clock.minute, clock.second);
    if (clock.nanosecond != 0) length += std::snprintf(text + length, size - length, ".%09u", clock.nanosecond);
    if (const auto *both = time.as_date_time(); both != nullptr && both->get().offset) {
        const int minutes = both->get().offset->minutes;
        const int distance = std::abs(minutes);
        length += std::snprintf(
            text + length, size - length, "%c%02d:%02d", minutes < 0 ? '-' : '+', distance / 60, distance % 60);
    }
    return length;
}

void CTomlForEach(const CTomlNode *value, void *context, CTomlVisitor body) {
    if (const toml::table *table = node(value).as_table()) {
        for (auto &&[key, member] : *table) {
            std::string_view name = key.str();
            body(context, name.data(), name.size(), key.source().begin.line, opaque(member));
        }
    } else if (const toml::array *array = node(value).as_array()) {
        for (const toml::node &element : *array) {
            body(context, nullptr, 0, element.source().begin.line, opaque(element));
        }
    }
}
