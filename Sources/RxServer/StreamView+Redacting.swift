internal import RxHost
internal import RxJSON

extension StreamView {
    /// A stream as `stream.list` or `stream.describe` reports it, without what the client may not see: firings are for
    /// those who may subscribe. Of the structure, the key of the source remains, and of the targets those that the
    /// client may see; a reason may have paths and programs.
    func redacted(_ stream: JSONObject, for rights: Rights.Operations) -> JSONObject {
        var stream = stream
        if !rights.contains(.subscribe) {
            stream["last"] = nil
            if stream["firings"] != nil { stream["firings"] = .array([]) }
        }
        guard !showsTexts else { return stream }
        stream["reason"] = nil
        if let source = stream["source"]?.string { stream["source"] = .string(String(source.prefix { $0 != " " })) }
        if let targets = stream["targets"]?.array {
            stream["targets"] = .array(targets.filter { $0.string.map(shows) ?? false })
        }
        return stream
    }
}
