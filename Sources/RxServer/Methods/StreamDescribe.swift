internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `stream.describe`: one stream.
struct StreamDescribe: MethodHandler {
    static let method = Method.streamDescribe
    static let onlyAnswers = true

    private let call: Call
    private let name: String

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        name = try parameters.string("stream")
        self.call = call
    }

    func perform() throws(RPCError) {
        _ = try call.client.stream(name, allowing: .read, for: Self.method)
        try call.writeAnswer(about: Self.bytes) { () throws(RPCError) in
            // A reload may have changed the stream or the right meanwhile.
            let stream = try call.client.stream(name, allowing: .read, for: Self.method)
            let (rights, view) = (call.client.rights(on: stream), call.client.view(of: stream))
            return { $0.value(.object(view.redacted(stream.details, for: rights).with(rights))) }
        }
    }

    /// Bytes of a description with twenty firings, each with the longest input that is kept.
    static let bytes = 131_072
}
