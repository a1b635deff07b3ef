public import RxJSON

/// The `error` member of a response.
public struct RPCError: Error, Sendable, Hashable {
    public var code: Int
    public var message: String
    /// Facts for programs. `name` repeats what `code` says and is the stable key.
    public var data: RawJSON?

    public init(code: Int, message: String, data: RawJSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// A fault in a request: where, as a JSON Pointer, and what is wrong there.
    public struct Fault: Sendable, Hashable {
        public var path: String
        public var message: String

        public init(path: String, message: String) {
            self.path = path
            self.message = message
        }
    }
}

// The five errors of the specification.
extension RPCError {
    public static let parseError = standard(-32700, "Parse error", "parseError") { _ in }
    public static let invalidRequest = invalidRequest([])
    public static let methodNotFound = standard(-32601, "Method not found", "methodNotFound") { _ in }
    public static let invalidParams = invalidParams([])
    public static let internalError = standard(-32603, "Internal error", "internalError") { _ in }

    /// With the faults as `data.errors`, paths being relative to the request.
    public static func invalidRequest(_ faults: [Fault]) -> RPCError {
        standard(-32600, "Invalid Request", "invalidRequest") { write(faults, to: &$0) }
    }

    /// With the faults as `data.errors`, paths being relative to `params`.
    public static func invalidParams(_ faults: [Fault]) -> RPCError {
        standard(-32602, "Invalid params", "invalidParams") { write(faults, to: &$0) }
    }

    /// With the kind of fault as `data.fault` and, where known, its `data.offset` in bytes.
    static func parseError(_ error: JSONError) -> RPCError {
        let fault: StaticString
        switch error.kind {
        case .empty: fault = "empty"
        case .encoding: fault = "encoding"
        case .depth: fault = "depth"
        case .size: fault = "size"
        case .number: fault = "number"
        case .syntax, .pointer: fault = "syntax"
        }
        return standard(-32700, "Parse error: \(error.message)", "parseError") { data in
            data.field("fault", fault.description)
            if let offset = error.offset { data.field("offset", offset) }
        }
    }

    private static func standard(
        _ code: Int, _ message: String, _ name: String, _ facts: (inout JSONWriter) -> Void
    ) -> RPCError {
        var data = JSONWriter()
        data.object {
            $0.field("name", name)
            facts(&$0)
        }
        return RPCError(code: code, message: message, data: RawJSON(unchecked: data.bytes))
    }

    private static func write(_ faults: [Fault], to data: inout JSONWriter) {
        guard !faults.isEmpty else { return }
        data.array("errors") { errors in
            for fault in faults {
                errors.object {
                    $0.field("path", fault.path)
                    $0.field("message", fault.message)
                }
            }
        }
    }
}
