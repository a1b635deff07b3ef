internal import CJSONSchema

/// A JSON Schema, draft 7, compiled once.
///
/// What an author should know beyond the specification:
/// - Nothing is fetched. A reference leads to a place in the schema itself, in a document that the caller has, or in
///   the meta-schema of draft 7. A schema may refer to itself.
/// - RE2 matches patterns, in time linear in the input, without lookaround and back references. A pattern that RE2
///   cannot compile is a fault of the schema.
/// - All formats of draft 7 are asserted, and `uuid`; any other accepts every string. `contentEncoding`,
///   `contentMediaType` and `default` do nothing.
/// - `multipleOf` is of the decimal numbers as written; 1.0 is an integer and equal to 1; lengths count code points.
/// - Faults that draft 7 would ignore are refused: another `$schema`, and keywords of later drafts that would have
///   changed what is accepted. Other unknown keywords mean nothing, as in the specification.
public final class JSONSchema: Sendable {
    /// One thing wrong with a value, or with a schema.
    public struct Violation: Sendable, Hashable {
        /// A JSON Pointer; empty for the whole. That of a missing property is the object that lacks it, that of an
        /// unknown one is its own place. In another document than the schema itself: its URI, `#`, and a JSON Pointer.
        public let path: String
        /// A few words whose subject is the place.
        public let message: String

        public init(path: String, message: String) {
            self.path = path
            self.message = message
        }
    }

    /// What stands behind a URI that a schema refers to.
    public enum Resolution: Sendable, Hashable {
        case document(RawJSON)
        /// Why the schema may not or cannot have the document, which is the subject: `cannot be read: permission
        /// denied`.
        case failure(String)
        /// There is no document of this URI.
        case unknown
    }

    /// `violations(of:)` reports at most this many; one more, of the whole value, stands for all others.
    public static let violationLimit = Int(CJSONSchemaViolationLimit)

    /// The schema as written.
    public let source: RawJSON
    /// Whether it marks anything `writeOnly`.
    public let hasSecrets: Bool

    /// The documents that it refers to, directly or through each other, by URI.
    public let documents: [String: RawJSON]

    // What it points to never changes and may be used by any number of threads.
    nonisolated(unsafe) private let compiled: OpaquePointer

    /// Compiles a schema that refers to no other documents than the given ones.
    ///
    /// - Parameters:
    ///   - schema: the schema, draft 7.
    ///   - base: the URI of the schema, against which its references are resolved. A relative path works as well.
    ///   - documents: what the schema may refer to, by URI.
    public convenience init(
        _ schema: RawJSON, base: String = "", documents: [String: RawJSON] = [:]
    ) throws(JSONSchemaError) {
        try self.init(schema, base: base) { uri in documents[uri].map { .document($0) } ?? .unknown }
    }

    /// Compiles a schema and what it refers to.
    ///
    /// - Parameters:
    ///   - schema: the schema, draft 7.
    ///   - base: the URI of the schema, against which its references are resolved. A relative path works as well.
    ///   - resolve: called once for each document that the schema refers to, with its URI, without a fragment.
    public init(
        _ schema: RawJSON, base: String = "", resolve: (_ uri: String) -> Resolution
    ) throws(JSONSchemaError) {
        let (compiled, documents, violations) = withoutActuallyEscaping(resolve) { resolve in
            let compilation = SchemaCompilation(resolve)
            var base = base
            let compiled = base.withUTF8 { base in
                schema.utf8.withUnsafeBytes { text in
                    let text = text.bindMemory(to: CChar.self)
                    return base.withMemoryRebound(to: CChar.self) { base in
                        CJSONSchemaCompile(
                            text.baseAddress, text.count, base.baseAddress, base.count,
                            Unmanaged.passUnretained(compilation).toOpaque(), SchemaCompilation.find,
                            SchemaCompilation.report)
                    }
                }
            }
            return (compiled, compilation.documents, compilation.violations)
        }
        guard let compiled else { throw JSONSchemaError(violations: violations) }
        self.compiled = compiled
        source = schema
        self.documents = documents
        hasSecrets = CJSONSchemaHasSecrets(compiled)
    }

    deinit {
        CJSONSchemaFree(compiled)
    }

    /// The text of the schema, followed by those of its documents: equal for equal schemas.
    public var fingerprint: String {
        documents.sorted { $0.key < $1.key }.reduce(into: source.text) { text, document in
            text += "\n" + document.key + "\n" + document.value.text
        }
    }

    /// Everything that is wrong with `input`, in the order of the paths; empty if it is valid. Ends in bounded time, of
    /// about a tenth of a second, by refusing what would take longer.
    public func violations(of input: RawJSON) -> [Violation] {
        Reported.collect(from: input) { CJSONSchemaValidate(compiled, $0, $1, $2, Reported.add) }.violations
    }

    /// The places of `input` that may be marked `writeOnly`; nil if all of it must count as marked.
    func secrets(in input: RawJSON) -> Set<JSONPointer>? {
        let (complete, places) = Reported.collect(from: input) {
            CJSONSchemaFindSecrets(compiled, $0, $1, $2, Reported.add)
        }
        guard complete else { return nil }
        return Set(places.compactMap { try? JSONPointer($0.path) })
    }
}

/// Equal means the same text, and the same texts of the documents that it refers to.
extension JSONSchema: Equatable {
    public static func == (one: JSONSchema, other: JSONSchema) -> Bool {
        one.source == other.source && one.documents == other.documents
    }
}

/// Why a text cannot be used as a schema.
public struct JSONSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Paths are pointers into the schema.
    public let violations: [JSONSchema.Violation]

    public var description: String {
        violations.map { "\($0.path.isEmpty ? "/" : $0.path): \($0.message)" }.joined(separator: "; ")
    }
}

/// What the C side reports, one violation for each call.
private enum Reported {
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
            JSONSchema.Violation(path, pathLength, message, messageLength))
    }
}
