internal import RxRecords
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.disable`: refuses further inputs until `action.enable`.
struct ActionDisable: MethodHandler {
    static let method = Method.actionDisable

    private let change: ActionSwitch

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        change = try ActionSwitch(params, call, Self.method)
    }

    func perform() {
        change.perform(
            ManualSwitch(by: change.call.peer.origin, since: change.call.host.time, reason: change.reason))
    }
}
