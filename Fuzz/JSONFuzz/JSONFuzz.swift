import Glibc
import JSONRPC
@testable import RxJSON

// Feeds arbitrary bytes to the readers. libFuzzer looks for what simdjson and the views do with memory; the
// preconditions for what they get wrong.

@main
enum JSONFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(drive(&count, &arguments) { start, count in fuzz(start, count) })
    }
}

/// libFuzzer's loop, for programs that have a main of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The name that libFuzzer links against.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let padded = text + [UInt8](repeating: UInt8(ascii: "1"), count: JSONReader.padding)
    padded.withUnsafeBytes { buffer in
        let line = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let reader = JSONReader()
        withExtendedLifetime(reader) { check(reader, line) }
        let messages = MessageReader()
        withExtendedLifetime(messages) { look(messages.read(line)) }
    }
    return 0
}

private func check(_ reader: JSONReader, _ text: UnsafeRawBufferPointer) {
    let scan = Result { () throws(JSONError) in
        try JSONSyntaxScan.numbersOutOfRange(in: text, depth: reader.limits.depth, reporting: 1)
    }
    do {
        let view = try reader.read(text)
        precondition((try? scan.get())?.isEmpty == true, "simdjson accepts what the scan refuses")
        let tree = view.value()
        let raw = RawJSON(tree)
        precondition(raw.value() == tree, "a tree is not itself after being written and read")
        let input = RawJSON(unchecked: Array(view.raw))
        precondition(input.minified().value() == tree, "minifying changes a value")
        look(at: input)
    } catch {
        if error.kind == .encoding { return }
        precondition(error.message != "not JSON", "simdjson refuses what the scan accepts")
    }
}

/// With every keyword that has code of its own, and a way into itself.
private let schema = try! JSONSchema(
    RawJSON(
        validating: """
            {
              "type": ["object", "array", "string", "number"], "minProperties": 1, "maxProperties": 9,
              "required": ["a"],
              "properties": {
                "a": {"$ref": "#"}, "b": {"writeOnly": true, "uniqueItems": true, "maxItems": 5},
                "c": {"anyOf": [{"type": "integer", "multipleOf": 0.01}, {"format": "date-time"}, {"format": "email"},
                  {"format": "idn-hostname"}, {"format": "uri-template"}, {"format": "iri-reference"},
                  {"oneOf": [{"const": {"a": [1, "x"]}}, {"enum": [1, null, "é"]}]}]}
              },
              "patternProperties": {"^(x|é)+$": {"items": [{"$ref": "#"}], "additionalItems": {"maximum": 3}}},
              "additionalProperties": {"contains": {"minLength": 2, "pattern": "(a|b)*c"}, "not": {"const": 0}},
              "propertyNames": {"maxLength": 8}, "dependencies": {"b": ["c"], "c": {"minProperties": 2}},
              "if": {"required": ["b"]}, "then": {"required": ["x"]}, "else": {"items": {"$ref": "#"}}
            }
            """))

private func look(at input: RawJSON) {
    // Most inputs are not schemas; the few that are refer to themselves and to this document.
    if let compiled = try? JSONSchema(input, base: "a", documents: ["b": schema.source]) {
        precondition(compiled.violations(of: input) == compiled.violations(of: input), "a schema changes its mind")
    }
    let violations = schema.violations(of: input)
    precondition(violations == schema.violations(of: input), "the same input is judged differently")
    precondition(violations.count <= JSONSchema.violationLimit + 1, "more violations than the limit")
    for violation in violations {
        guard let pointer = try? JSONPointer(violation.path) else { preconditionFailure("a path is no pointer") }
        precondition(input.value(at: pointer) != nil, "a violation of nothing")
    }
    let redacted = schema.redacting(input)
    guard let copy = try? RawJSON(validating: redacted.utf8) else { preconditionFailure("redacting breaks a text") }
    let secret = copy.value(at: JSONPointer(tokens: ["b"]))
    precondition(
        secret == nil || copy.utf8.first == UInt8(ascii: "[") || secret?.text == "\"[redacted]\"", "a secret gets by")
}

private func look(_ incoming: Incoming) {
    switch incoming {
    case .request(let request): _ = request.params?["input"]?.rawJSON
    case .response(_, let result): _ = result.value()
    case .batch(let messages): messages.forEach(look)
    case .failure, .invalid, .ignored: break
    }
}
