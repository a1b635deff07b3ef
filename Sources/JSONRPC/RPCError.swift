public import RxJSON

/// The `error` member of a response.
public struct RPCError: Error, Sendable, Hashable {
    /// The JSON-RPC error code.
    public var code: Int
    /// A short message for people.
    public var message: String
    /// Machine-readable details. The member `name` repeats the meaning of `code` and is the stable key.
    public var data: RawJSON?

    /// Creates an error. `data`, if given, should be an object with the member `name`.
    public init(code: Int, message: String, data: RawJSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// A fault in a request: its location and a description.
    public struct Fault: Sendable, Hashable {
        /// The location as a JSON Pointer.
        public var path: String
        /// The description of the fault.
        public var message: String

        /// Creates a fault at the JSON Pointer `path`.
        public init(path: String, message: String) {
            self.path = path
            self.message = message
        }
    }
}

// The five errors that the specification defines.
extension RPCError {
    /// Code -32700: the text is not valid JSON.
    public static let parseError = standard(-32700, "Parse error", "parseError") { _ in }
    /// Code -32600: the JSON is not a valid request.
    public static let invalidRequest = invalidRequest([])
    /// Code -32601: no method has this name.
    public static let methodNotFound = standard(-32601, "Method not found", "methodNotFound") { _ in }
    /// Code -32602: the params do not fit the method.
    public static let invalidParams = invalidParams([])
    /// Code -32603: an internal error of the server.
    public static let internalError = standard(-32603, "Internal error", "internalError") { _ in }

    /// Code -32600 with the faults as `data.errors`. Paths are relative to the request.
    public static func invalidRequest(_ faults: [Fault]) -> RPCError {
        standard(-32600, "Invalid Request", "invalidRequest") { write(faults, to: &$0) }
    }

    /// Code -32602 with the faults as `data.errors`. Paths are relative to `params`.
    public static func invalidParams(_ faults: [Fault]) -> RPCError {
        standard(-32602, "Invalid params", "invalidParams") { write(faults, to: &$0) }
    }

    /// Code -32700 with the kind of fault as `data.fault` and, if known, its `data.offset` in bytes.
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
