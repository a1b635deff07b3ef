internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `stream.enable`: undoes `stream.disable`, and ends the pause of a loop.
struct StreamEnable: MethodHandler {
    static let method = Method.streamEnable

    private let change: StreamSwitch

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        change = try StreamSwitch(params, call, Self.method)
    }

    func perform() { change.perform(nil) }
}
