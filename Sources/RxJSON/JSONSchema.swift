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
        let (compiled, violations) = Told.collect(from: schema) { CJSONSchemaCompile($0, $1, $2, Told.add) }
        guard let compiled else { throw JSONSchemaError(violations: violations) }
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
        Told.collect(from: input) { CJSONSchemaValidate(compiled, $0, $1, $2, Told.add) }.violations
    }

    /// The places of `input` that are marked `writeOnly`, in whichever way they may be; nil for all of it.
    func secrets(in input: RawJSON) -> Set<JSONPointer>? {
        let (complete, places) = Told.collect(from: input) { CJSONSchemaFindSecrets(compiled, $0, $1, $2, Told.add) }
        guard complete else { return nil }
        return Set(places.compactMap { try? JSONPointer($0.path) })
    }
}

/// Equal means the same text.
extension JSONSchema: Equatable {
    public static func == (one: JSONSchema, other: JSONSchema) -> Bool {
        one.source == other.source
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

/// What the C side tells, one violation a call.
private enum Told {
    static func collect<Result>(
        from text: RawJSON, _ body: (UnsafePointer<CChar>?, Int, UnsafeMutableRawPointer) -> Result
    ) -> (result: Result, violations: [JSONSchema.Violation]) {
        var violations: [JSONSchema.Violation] = []
        let result = withUnsafeMutablePointer(to: &violations) { list in
            text.utf8.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress, $0.count, list) }
        }
        return (result, violations)
    }

    static let add: CJSONSchemaReport = { list, path, pathLength, message, messageLength in
        list?.assumingMemoryBound(to: [JSONSchema.Violation].self).pointee.append(
            JSONSchema.Violation(
                path: String(decoding: UnsafeRawBufferPointer(start: path, count: pathLength), as: UTF8.self),
                message: String(decoding: UnsafeRawBufferPointer(start: message, count: messageLength), as: UTF8.self)))
    }
}
