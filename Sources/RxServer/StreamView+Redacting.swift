internal import RxHost
internal import RxJSON

extension StreamView {
    /// A stream as `stream.list` or `stream.describe` reports it, without what the client may not see of its structure:
    /// of the source, only the key remains, and of the targets those that the client may see.
    func redacted(_ stream: JSONObject) -> JSONObject {
        guard !showsTexts else { return stream }
        var stream = stream
        if let source = stream["source"]?.string { stream["source"] = .string(String(source.prefix { $0 != " " })) }
        if let targets = stream["targets"]?.array {
            stream["targets"] = .array(targets.filter { $0.string.map(shows) ?? false })
        }
        return stream
    }
}
