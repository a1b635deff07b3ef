#include "CJSONSchema.h"

#include "Compiler.hpp"
#include "Evaluation.hpp"
#include "Secrets.hpp"

#include <cstring>
#include <new>

struct CJSONSchema {
    std::unique_ptr<const schema::Compiled> compiled;
};

struct CJSONSchemaAnswer {
    schema::Answer answer;
};

// A thread keeps the memory for reading texts of up to this many bytes, about 20 bytes for each.
static constexpr size_t keptCapacity = 65536;

// Calls `body` with the value of a text, or with null for one that is not JSON.
template <typename Body> static auto reading(const char *text, size_t length, Body body) {
    if (length > keptCapacity) {
        schema::Document document;
        return body(document.read({text, length}));
    }
    thread_local schema::Document document;
    return body(document.read({text, length}));
}

static void send(void *context, CJSONSchemaReport report, const char *path, const char *message) {
    report(context, path, std::strlen(path), message, std::strlen(message));
}

static void send(void *context, CJSONSchemaReport report, const std::vector<schema::Fault> &faults) {
    for (const schema::Fault &fault : faults) {
        report(context, fault.path.data(), fault.path.size(), fault.message.data(), fault.message.size());
    }
}

static void set(CJSONSchemaAnswer *answer, schema::Answer::Kind kind, const char *text, size_t length) {
    try {
        answer->answer = {kind, std::string(text, length)};
    } catch (...) { answer->answer.kind = schema::Answer::Kind::failure; }
}

void CJSONSchemaAnswerText(CJSONSchemaAnswer *answer, const char *text, size_t length) {
    set(answer, schema::Answer::Kind::text, text, length);
}

void CJSONSchemaAnswerFailure(CJSONSchemaAnswer *answer, const char *reason, size_t length) {
    set(answer, schema::Answer::Kind::failure, reason, length);
}

CJSONSchema *CJSONSchemaCompile(
    const char *text, size_t length, const char *base, size_t baseLength, void *context, CJSONSchemaFind find,
    CJSONSchemaReport report) {
    try {
        auto ask = [&](const std::string &uri) {
            CJSONSchemaAnswer answer;
            find(context, uri.data(), uri.size(), &answer);
            return std::move(answer.answer);
        };
        std::vector<schema::Fault> faults;
        auto compiled = schema::compile({text, length}, std::string(base, baseLength), ask, faults);
        send(context, report, faults);
        if (compiled) { return new CJSONSchema{std::move(compiled)}; }
    } catch (const std::bad_alloc &) {
        send(context, report, "", "takes too much memory");
    } catch (...) { send(context, report, "", "is not a schema"); }
    return nullptr;
}

void CJSONSchemaFree(CJSONSchema *schema) { delete schema; }

bool CJSONSchemaValidate(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report) {
    try {
        return reading(text, length, [&](const schema::Value *value) {
            if (!value) {
                send(context, report, "", "is not JSON");
                return false;
            }
            auto faults = schema::evaluate(*schema->compiled, *value, CJSONSchemaViolationLimit);
            send(context, report, faults);
            return faults.empty();
        });
    } catch (...) {
        send(context, report, "", "takes too much memory to check");
        return false;
    }
}

bool CJSONSchemaHasSecrets(const CJSONSchema *schema) { return schema->compiled->hasSecrets; }

bool CJSONSchemaFindSecrets(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report) {
    try {
        return reading(text, length, [&](const schema::Value *value) {
            std::vector<std::string> pointers;
            if (!value || !schema::findSecrets(*schema->compiled, *value, pointers)) { return false; }
            for (const std::string &pointer : pointers) { report(context, pointer.data(), pointer.size(), "", 0); }
            return true;
        });
    } catch (...) { return false; }
}
