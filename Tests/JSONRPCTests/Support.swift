import JSONRPC
import RxJSON

/// Reads one text and returns what came in, as a line of text that tests can compare.
func outcome(_ text: String, limits: JSONLimits = JSONLimits(), batch: Int = MessageReader.defaultBatch) -> String {
    outcome(Array(text.utf8), limits: limits, batch: batch)
}

func outcome(_ bytes: [UInt8], limits: JSONLimits = JSONLimits(), batch: Int = MessageReader.defaultBatch) -> String {
    let reader = MessageReader(limits: limits, batch: batch)
    let padded = bytes + [UInt8](repeating: UInt8(ascii: "]"), count: JSONReader.padding)
    return withExtendedLifetime(reader) {
        padded.withUnsafeBytes { buffer in
            line(reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])))
        }
    }
}

private func line(_ incoming: Incoming) -> String {
    switch incoming {
    case .request(let request):
        let params = request.params.map { " \($0.rawJSON)" } ?? ""
        guard let id = request.id else { return "notification \(request.method)\(params)" }
        return "request \(id) \(request.method)\(params)"
    case .response(let id, let result): return "response \(id) \(result.rawJSON)"
    case .failure(let id, let error): return "failure \(id?.text ?? "unknown") \(line(error))"
    case .batch(let messages): return "batch [\(messages.map(line).joined(separator: "; "))]"
    case .invalid(let id, let error): return "invalid \(id) \(line(error))"
    case .ignored(let error): return "ignored \(line(error))"
    }
}

/// The code, and where the faults are.
private func line(_ error: RPCError) -> String {
    let data = error.data?.value()
    let paths = data?["errors"]?.array?.map { $0["path"]?.string ?? "?" } ?? []
    let facts = [data?["fault"]?.string, data?["offset"]?.int.map(String.init)].compactMap { $0 }
    return (["\(error.code)"] + paths.map { "@\($0)" } + facts).joined(separator: " ")
}

/// What `body` writes.
func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}
