public import RxJSON

/// Reads messages, one text after another. Create one per loop; see `JSONReader`.
public struct MessageReader {
    /// The default limit of messages in a batch, as the rx/1 protocol defines it.
    public static let defaultBatch = 64

    /// The most out-of-range numbers that one error lists.
    private static let reportedFaults = 8

    private let reader: JSONReader
    private let batch: Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limits: the limits for one JSON text.
    ///   - batch: the most messages in one batch.
    public init(limits: JSONLimits = JSONLimits(), batch: Int = defaultBatch) {
        reader = JSONReader(limits: limits)
        self.batch = batch
    }

    /// Parses `line`, which contains one message or batch and must have `JSONReader.padding` readable bytes after it.
    /// Views in the result are invalid after the next `read`, the end of the reader, or the end of the buffer.
    public func read(_ line: UnsafeRawBufferPointer) -> Incoming {
        var outOfRange: JSONError?
        let view: JSONView
        do {
            view = try reader.read(line, outOfRange: &outOfRange)
        } catch {
            return .invalid(id: .null, .parseError(error))
        }
        guard view.kind == .array else { return message(view, checkingNumbers: outOfRange != nil) }
        return messages(view, checkingNumbers: outOfRange != nil)
    }

    private func messages(_ view: JSONView, checkingNumbers: Bool) -> Incoming {
        var messages: [Incoming] = []
        for element in view.elements {
            guard messages.count < batch else { return fault(.null, "", "a batch of more than \(batch) messages") }
            messages.append(message(element, checkingNumbers: checkingNumbers))
        }
        return messages.isEmpty ? fault(.null, "", "an empty batch") : .batch(messages)
    }

    private func message(_ view: JSONView, checkingNumbers: Bool) -> Incoming {
        guard view.kind == .object else { return fault(.null, "", "must be an object") }
        let parts = MessageParts(view)
        // A value that cannot be an id is answered with null, as if there were none.
        let id = parts.id.flatMap(RequestID.init)
        guard let version = parts.version, version.equals("2.0") else {
            return fault(id, "/jsonrpc", "must be \"2.0\"")
        }
        if let value = parts.id, id == nil { return fault(nil, "/id", RequestID.fault(in: value)) }
        if checkingNumbers, let refused = refuseNumbers(view, parts, id) { return refused }
        switch (parts.method, parts.result, parts.error) {
        case (let method?, nil, nil): return request(method, parts.params, id)
        case (nil, let result?, nil):
            guard let id else { return fault(nil, "/id", "is required in a response") }
            return .response(id: id, result: result)
        case (nil, nil, let error?):
            guard let id else { return fault(nil, "/id", "is required in a response") }
            guard let error = rpcError(error) else { return fault(id, "/error", "must have a code and a message") }
            return .failure(id: id == .null ? nil : id, error)
        case (nil, nil, nil): return fault(id, "/method", "is required")
        case (nil, _?, _?): return fault(id, "/error", "cannot be combined with a result")
        case (_?, _, _): return fault(id, "/method", "cannot be combined with a result or an error")
        }
    }

    private func request(_ method: JSONView, _ params: JSONView?, _ id: RequestID?) -> Incoming {
        guard method.kind == .string else { return fault(id, "/method", "must be a string") }
        switch params?.kind {
        case nil, .object, .array: return .request(Request(id: id, name: method, params: params))
        case .string, .number, .bool, .null: return fault(id, "/params", "must be an object or an array")
        }
    }

    private func rpcError(_ view: JSONView) -> RPCError? {
        guard let code = view["code"]?.int, let message = view["message"]?.string else { return nil }
        return RPCError(code: code, message: message, data: view["data"]?.rawJSON)
    }

    private func fault(_ id: RequestID?, _ path: String, _ message: String) -> Incoming {
        .invalid(id: id ?? .null, .invalidRequest([RPCError.Fault(path: path, message: message)]))
    }
}

// A message with an out-of-range number is otherwise readable, so the answer can carry its id.
extension MessageReader {
    private func refuseNumbers(_ view: JSONView, _ parts: MessageParts, _ id: RequestID?) -> Incoming? {
        let faults = view.numbersOutOfRange(reporting: Self.reportedFaults)
        guard !faults.isEmpty else { return nil }
        let inParams = faults.filter { $0.path.tokens.first == "params" }
        guard inParams.count == faults.count, parts.method?.kind == .string else {
            return .invalid(
                id: id ?? .null,
                .invalidRequest(faults.map { RPCError.Fault(path: $0.path.description, message: $0.message) }))
        }
        let error = RPCError.invalidParams(
            inParams.map { fault in
                let path = JSONPointer(tokens: Array(fault.path.tokens.dropFirst()))
                return RPCError.Fault(path: path.description, message: fault.message)
            })
        return parts.id == nil ? .ignored(error) : .invalid(id: id ?? .null, error)
    }
}
