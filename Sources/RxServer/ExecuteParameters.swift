internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The params of `action.execute`, read in place.
struct ExecuteParameters {
    /// Longest key in bytes: ids and hashes are shorter.
    private static let keyBytes = 256

    /// The name of the action: a string.
    let action: JSONView
    let input: JSONView?
    private(set) var stream: String?
    private(set) var key: String?
    private(set) var timeout: Duration?
    /// Whether the end of the connection withdraws this requester.
    private(set) var cancels = false

    init(_ params: JSONView?) throws(RPCError) {
        var action: JSONView?
        var input: JSONView?
        var hasOptions = false
        if let params, params.kind == .object {
            for (key, value) in params.members {
                if key.equals("action") {
                    action = value
                } else if key.equals("input") {
                    input = value
                } else {
                    hasOptions = true
                }
            }
        }
        guard !hasOptions, let action, action.kind == .string else {
            self = try ExecuteParameters(reading: Parameters(params, of: .actionExecute))
            return
        }
        self.action = action
        self.input = input
    }

    /// The name of the action as text.
    func actionName() throws(RPCError) -> String {
        guard let name = action.string else {
            throw .refused([RPCError.Fault(path: "/action", message: "must be a string")])
        }
        return name
    }

    private init(reading parameters: Parameters) throws(RPCError) {
        _ = try parameters.string("action")
        action = parameters["action"]!
        input = parameters["input"]
        stream = try parameters.optionalString("stream")
        switch try parameters.optionalString("onDisconnect") {
        case nil, "detach": break
        case "cancel": cancels = true
        default: throw parameters.fault("onDisconnect", "must be \"detach\" or \"cancel\"")
        }
        key = try parameters.optionalString("key")
        if let key, !(1...ExecuteParameters.keyBytes).contains(key.utf8.count) {
            throw parameters.fault("key", "must have 1 to \(ExecuteParameters.keyBytes) bytes")
        }
        timeout = try parameters.optionalDuration("timeout")
    }
}
