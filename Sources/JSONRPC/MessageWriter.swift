public import RxJSON

/// Appends messages to a `JSONWriter`, compact and without a newline.
public enum MessageWriter {
    /// Appends a response with the JSON text `result`.
    @inlinable
    public static func response(_ id: RequestID, result: RawJSON, into writer: inout JSONWriter) {
        response(id, into: &writer) { $0.raw(result) }
    }

    /// Appends a response. `result` must write exactly one value.
    @inlinable
    public static func response(
        _ id: RequestID, into writer: inout JSONWriter, result: (inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        writer.literal("\"jsonrpc\":\"2.0\",\"id\":")
        writer.literal(id)
        writer.literal(",\"result\":")
        result(&writer)
        writer.endObject()
    }

    /// Appends an error response.
    public static func error(_ id: RequestID, _ error: RPCError, into writer: inout JSONWriter) {
        writer.object {
            $0.literal("\"jsonrpc\":\"2.0\",\"id\":")
            $0.literal(id)
            $0.valueEnded()
            $0.key("error")
            $0.value(error)
        }
    }

    /// Appends a request. `params`, if given, must be an object or an array.
    public static func request(
        _ id: RequestID, _ method: String, params: RawJSON? = nil, into writer: inout JSONWriter
    ) {
        call(id, method, into: &writer) { writer in
            if let params { writer.field("params", params) }
        }
    }

    /// Appends a request. `params` must write exactly one object or array.
    public static func request(
        _ id: RequestID, _ method: String, into writer: inout JSONWriter, params: (inout JSONWriter) -> Void
    ) {
        call(id, method, into: &writer) { writer in
            writer.key("params")
            params(&writer)
        }
    }

    /// Appends a notification. `params`, if given, must be an object or an array.
    public static func notification(_ method: String, params: RawJSON? = nil, into writer: inout JSONWriter) {
        call(nil, method, into: &writer) { writer in
            if let params { writer.field("params", params) }
        }
    }

    /// Appends a notification. `params` must write exactly one object or array.
    public static func notification(
        _ method: String, into writer: inout JSONWriter, params: (inout JSONWriter) -> Void
    ) {
        call(nil, method, into: &writer) { writer in
            writer.key("params")
            params(&writer)
        }
    }

    private static func call(
        _ id: RequestID?, _ method: String, into writer: inout JSONWriter, _ params: (inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        writer.literal("\"jsonrpc\":\"2.0\"")
        if let id {
            writer.literal(",\"id\":")
            writer.literal(id)
        }
        writer.valueEnded()
        writer.field("method", method)
        params(&writer)
        writer.endObject()
    }

    /// Appends a batch. `messages` must write at least one message.
    @inlinable
    public static func batch(into writer: inout JSONWriter, messages: (inout JSONWriter) -> Void) {
        writer.array(messages)
    }
}

extension JSONWriter {
    /// Writes an id as its original text.
    @usableFromInline
    mutating func literal(_ id: RequestID) {
        id.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Writes the error object.
    public mutating func value(_ error: RPCError) {
        object {
            $0.field("code", error.code)
            $0.field("message", error.message)
            if let data = error.data { $0.field("data", data) }
        }
    }
}
