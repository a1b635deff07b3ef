internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

extension Session {
    /// Characters kept of a client's name, for logs.
    static let clientLength = 64

    /// What a client may require or prefer.
    static let features = ["stream", "onDisconnect", "timeout", "key", "history", "from", "overflow"]

    func hello(_ params: JSONView?, _ reply: Reply) throws(RPCError) {
        let parameters = try Parameters(params, known: ["client", "protocol", "require", "prefer"])
        let client = try parameters.optionalString("client")
        let required = try parameters.optionalStrings("require") ?? []
        _ = try parameters.optionalStrings("prefer")
        if let versions = parameters["protocol"] {
            guard versions.kind == .object, let low = versions["min"]?.int, let high = versions["max"]?.int, low <= high
            else { throw parameters.fault("protocol", "must be {\"min\": number, \"max\": number}") }
            guard (low...high).contains(ProtocolVersion.current) else {
                throw RPCError(.featureMissing, message: "no common version of the protocol") { writer in
                    writer.field("protocol", ProtocolVersion.current)
                }
            }
        }
        let missing = required.filter { !Session.features.contains($0) }
        guard missing.isEmpty else {
            throw RPCError(.featureMissing) { writer in
                writer.key("missing")
                writer.strings(missing)
            }
        }
        self.client = client.map { String($0.prefix(Session.clientLength)) }
        let peer = connection.peer
        reply.success { writer in
            writer.beginObject()
            writer.key("server")
            writer.beginObject()
            writer.field("name", "rxd")
            writer.field("version", ReleaseVersion.current)
            writer.endObject()
            writer.field("protocol", ProtocolVersion.current)
            writer.field("epoch", server.host.epoch)
            writer.key("features")
            writer.strings(Session.features)
            writer.key("limits")
            writer.beginObject()
            for (name, value) in server.limits.fields {
                writer.key(name)
                writer.int(value)
            }
            writer.endObject()
            writer.key("peer")
            peer.origin.write(to: &writer)
            writer.endObject()
        }
    }
}

extension JSONWriter {
    mutating func strings(_ texts: [String]) {
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
