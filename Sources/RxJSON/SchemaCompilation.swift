internal import CJSONSchema

/// What the C side asks for and reports while it compiles a schema.
final class SchemaCompilation {
    private let resolve: (String) -> JSONSchema.Resolution
    private(set) var documents: [String: RawJSON] = [:]
    private(set) var violations: [JSONSchema.Violation] = []

    init(_ resolve: @escaping (String) -> JSONSchema.Resolution) {
        self.resolve = resolve
    }

    static let find: CJSONSchemaFind = { context, uri, length, answer in
        guard let context else { return }
        let compilation = Unmanaged<SchemaCompilation>.fromOpaque(context).takeUnretainedValue()
        let uri = String(decoding: UnsafeRawBufferPointer(start: uri, count: length), as: UTF8.self)
        switch compilation.resolve(uri) {
        case .document(let text):
            compilation.documents[uri] = text
            text.utf8.withUnsafeBytes {
                CJSONSchemaAnswerText(answer, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
            }
        case .failure(let reason):
            Array(reason.utf8).withUnsafeBytes {
                CJSONSchemaAnswerFailure(answer, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
            }
        case .unknown: break
        }
    }

    static let report: CJSONSchemaReport = { context, path, pathLength, message, messageLength in
        guard let context else { return }
        Unmanaged<SchemaCompilation>.fromOpaque(context).takeUnretainedValue().violations.append(
            JSONSchema.Violation(path, pathLength, message, messageLength))
    }
}

extension JSONSchema.Violation {
    /// A violation of two texts in UTF-8, with their lengths.
    init(
        _ path: UnsafePointer<CChar>?, _ pathLength: Int, _ message: UnsafePointer<CChar>?, _ messageLength: Int
    ) {
        self.init(
            path: String(decoding: UnsafeRawBufferPointer(start: path, count: pathLength), as: UTF8.self),
            message: String(decoding: UnsafeRawBufferPointer(start: message, count: messageLength), as: UTF8.self))
    }
}
