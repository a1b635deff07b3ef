internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `action.enable`: undoes `action.disable`.
struct ActionEnable: MethodHandler {
    static let method = Method.actionEnable

    private let change: ActionSwitch

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        change = try ActionSwitch(params, call, Self.method)
    }

    func perform() {
        change.perform(nil)
    }
}
