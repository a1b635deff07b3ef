#include "CJSONSchema.h"

#include "Compiler.hpp"
#include "Evaluation.hpp"
#include "Secrets.hpp"

#include <cstring>
#include <new>
#include <pthread.h>

struct CJSONSchema {
    std::unique_ptr<const schema::Compiled> compiled;
};

// valijson reads a schema by recursion, a few KiB for each schema within or behind another, of which there may be 10,000
// (Compiler.cpp). Of this stack only what is used is ever taken.
static constexpr size_t compilationStack = 256u << 20;

static void tell(void *context, CJSONSchemaReport report, const char *path, const char *message) {
    report(context, path, std::strlen(path), message, std::strlen(message));
}

static void tell(void *context, CJSONSchemaReport report, const std::vector<schema::Fault> &faults) {
    for (const schema::Fault &fault : faults) {
        report(context, fault.path.data(), fault.path.size(), fault.message.data(), fault.message.size());
    }
}

namespace {

struct Compilation {
    const char *text;
    size_t length;
    std::vector<schema::Fault> faults;
    std::unique_ptr<const schema::Compiled> compiled;
    const char *failure = nullptr;

    static void *perform(void *opaque) {
        auto &self = *static_cast<Compilation *>(opaque);
        try {
            self.compiled = schema::compile(self.text, self.length, self.faults);
            if (!self.compiled && self.faults.empty()) { self.failure = "is no schema"; }
        } catch (const std::bad_alloc &) {
            self.failure = "takes too much memory";
        } catch (const std::exception &exception) {
            try {
                self.faults.push_back({"", exception.what()});
            } catch (...) { self.failure = "is no schema"; }
        } catch (...) { self.failure = "is no schema"; }
        return nullptr;
    }
};

}  // namespace

CJSONSchema *CJSONSchemaCompile(const char *text, size_t length, void *context, CJSONSchemaReport report) {
    Compilation compilation{text, length, {}, nullptr};
    pthread_t thread;
    pthread_attr_t attributes;
    bool done = pthread_attr_init(&attributes) == 0;
    if (done) {
        done = pthread_attr_setstacksize(&attributes, compilationStack) == 0
            && pthread_create(&thread, &attributes, Compilation::perform, &compilation) == 0
            && pthread_join(thread, nullptr) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!done) { compilation.failure = "cannot be read: no thread can be started"; }
    if (compilation.failure) { tell(context, report, "", compilation.failure); }
    tell(context, report, compilation.faults);
    if (!compilation.compiled) { return nullptr; }
    auto *compiled = new (std::nothrow) CJSONSchema{std::move(compilation.compiled)};
    if (!compiled) { tell(context, report, "", "takes too much memory"); }
    return compiled;
}

void CJSONSchemaFree(CJSONSchema *schema) { delete schema; }

bool CJSONSchemaValidate(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report) {
    try {
        const schema::Json value = schema::Json::parse(text, text + length, nullptr, false);
        if (value.is_discarded()) {
            tell(context, report, "", "is not JSON");
            return false;
        }
        auto faults = schema::evaluate(*schema->compiled, value, CJSONSchemaViolationLimit);
        tell(context, report, faults);
        return faults.empty();
    } catch (...) {
        tell(context, report, "", "takes too much memory to check");
        return false;
    }
}

bool CJSONSchemaHasSecrets(const CJSONSchema *schema) { return schema->compiled->hasSecrets; }

bool CJSONSchemaFindSecrets(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report) {
    try {
        const schema::Json value = schema::Json::parse(text, text + length, nullptr, false);
        std::vector<std::string> pointers;
        if (value.is_discarded() || !schema::findSecrets(*schema->compiled, value, pointers)) { return false; }
        for (const std::string &pointer : pointers) { report(context, pointer.data(), pointer.size(), "", 0); }
        return true;
    } catch (...) { return false; }
}
