internal import CJSONSchema

/// A JSON Schema, draft 7, compiled once.
///
/// What an author should know beyond the specification:
/// - Nothing is fetched. References lead into the schema itself, and a schema may refer to itself.
/// - Patterns are RE2's: linear in the input, without lookaround and back references. One that RE2 cannot take is a fault
///   of the schema.
/// - `format` is asserted for `date`, `time`, `date-time`, `email`, `hostname`, `ipv4`, `ipv6`, `uri`, `uuid`,
///   `json-pointer` and `regex`; any other asks nothing. `contentEncoding`, `contentMediaType` and `default` do nothing.
/// - `multipleOf` is of the decimal numbers as written; 1.0 is an integer and equal to 1; lengths count code points.
/// - Faults that draft 7 would leave alone are refused: another `$schema`, and keywords of later drafts that would have
///   changed what is let in. Other unknown keywords mean nothing, as in the specification.
public final class JSONSchema: Sendable {
    /// One thing wrong with a value, or with a schema.
    public struct Violation: Sendable, Hashable {
        /// A JSON Pointer; empty for the whole. A missing property is told of the object that lacks it, an unknown one by
        /// its own place.
        public let path: String
        /// A few words of which the place is the subject.
        public let message: String

        public init(path: String, message: String) {
            self.path = path
            self.message = message
        }
    }

    /// At most so many violations are told; one more, of the whole value, says when there are others.
    public static let violationLimit = Int(CJSONSchemaViolationLimit)

    /// The schema as written.
    public let source: RawJSON
    /// Whether it marks anything `writeOnly`.
    public let hasSecrets: Bool

    // What it points to never changes and may be used by any number of threads.
    nonisolated(unsafe) private let compiled: OpaquePointer

    public init(_ schema: RawJSON) throws(JSONSchemaError) {
        var list = ViolationList()
        let compiled = schema.withText { text, count in
            CJSONSchemaCompile(text, count, &list) { ViolationList.add($0, $1, $2, $3, $4) }
        }
        guard let compiled else { throw JSONSchemaError(violations: list.violations) }
        self.compiled = compiled
        source = schema
        hasSecrets = CJSONSchemaHasSecrets(compiled)
    }

    deinit {
        CJSONSchemaFree(compiled)
    }

    /// Everything that is wrong with `input`, in the order of the paths; empty if it is valid. Ends in bounded time, of
    /// about a tenth of a second, by refusing what would take longer.
    public func violations(of input: RawJSON) -> [Violation] {
        var list = ViolationList()
        _ = input.withText { text, count in
            CJSONSchemaValidate(compiled, text, count, &list) { ViolationList.add($0, $1, $2, $3, $4) }
        }
        return list.violations
    }

    /// The places of `input` that are marked `writeOnly`, in whichever way they may be; nil for all of it.
    func secrets(in input: RawJSON) -> Set<JSONPointer>? {
        var list = ViolationList()
        let complete = input.withText { text, count in
            CJSONSchemaFindSecrets(compiled, text, count, &list) { ViolationList.add($0, $1, $2, $3, $4) }
        }
        guard complete else { return nil }
        return Set(list.violations.compactMap { try? JSONPointer($0.path) })
    }
}

/// Why a text is no schema that can be used.
public struct JSONSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Paths are pointers into the schema.
    public let violations: [JSONSchema.Violation]

    public var description: String {
        violations.map { "\($0.path.isEmpty ? "/" : $0.path): \($0.message)" }.joined(separator: "; ")
    }
}

/// What the C side tells.
private struct ViolationList {
    var violations: [JSONSchema.Violation] = []

    static func add(
        _ list: UnsafeMutableRawPointer?, _ path: UnsafePointer<CChar>?, _ pathLength: Int,
        _ message: UnsafePointer<CChar>?, _ messageLength: Int
    ) {
        list?.assumingMemoryBound(to: ViolationList.self).pointee.violations.append(
            JSONSchema.Violation(path: text(path, pathLength), message: text(message, messageLength)))
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension RawJSON {
    fileprivate func withText<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        utf8.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    }
}
