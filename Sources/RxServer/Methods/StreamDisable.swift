internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// `stream.disable`: stops the sources of a stream until `stream.enable`.
struct StreamDisable: MethodHandler {
    static let method = Method.streamDisable

    private let change: StreamSwitch

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        change = try StreamSwitch(params, call, Self.method)
    }

    func perform() {
        change.perform(
            ManualSwitch(by: change.call.peer.origin, since: change.call.host.time, reason: change.reason))
    }
}
