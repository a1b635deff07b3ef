internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `server.hello`: agrees on a version and on features, and reports the limits.
struct ServerHello: MethodHandler {
    static let method = Method.serverHello

    /// Characters kept of a client's name, for logs.
    private static let clientLength = 64

    /// The features that a client may require or prefer.
    private static let features = [
        "stream", "onDisconnect", "timeout", "key", "history", "from", "overflow", "users", "causes", "output",
        "selection", "streams", "taps", "at", "after", "levels", "process", "attempts", "forget", "byStream",
        "until",
    ]

    private let call: Call
    private let client: String?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        client = try parameters.optionalString("client")
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
        let missing = required.filter { !Self.features.contains($0) }
        guard missing.isEmpty else {
            throw RPCError(.featureMissing) { writer in
                writer.key("missing")
                writer.strings(missing)
            }
        }
        self.call = call
    }

    func perform() {
        call.client.name = client.map { String($0.prefix(Self.clientLength)) }
        call.reply.success { writer in
            writer.beginObject()
            writer.key("server")
            writer.beginObject()
            writer.field("name", "rxd")
            writer.field("version", ReleaseVersion.current)
            writer.endObject()
            writer.field("protocol", ProtocolVersion.current)
            writer.field("epoch", call.host.epoch)
            writer.key("features")
            writer.strings(Self.features)
            writer.key("limits")
            writer.beginObject()
            for (name, value) in call.context.limits.fields {
                writer.key(name)
                writer.int(value)
            }
            writer.endObject()
            writer.key("peer")
            call.peer.origin.write(to: &writer)
            writer.endObject()
        }
    }
}
