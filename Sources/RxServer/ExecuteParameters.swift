internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The params of an `action.execute` with no options, read in place: the most frequent request by far.
struct PlainParameters {
    let action: JSONView
    let input: JSONView?

    /// Nil if the request calls another method, or has other members.
    @inline(__always)
    init?(_ request: Request) {
        guard request.calls(Method.actionExecuteName), let params = request.params else { return nil }
        var action: JSONView?
        var input: JSONView?
        for (key, value) in params.members {
            if key.equals("action") {
                action = value
            } else if key.equals("input") {
                input = value
            } else {
                return nil
            }
        }
        guard let action else { return nil }
        self.action = action
        self.input = input
    }
}

/// The params of `action.execute`.
struct ExecuteParameters {
    /// Longest key in bytes: ids and hashes are shorter.
    private static let keyBytes = 256

    let action: String
    let input: JSONView?
    private(set) var stream: String?
    private(set) var key: String?
    private(set) var timeout: Duration?
    /// The time at which the work is to start, in milliseconds since 1970.
    private(set) var dueAt: Int64?
    /// The id of an execution, or the name of an action, whose end to wait for.
    private(set) var after: String?
    /// Whether what is waited for has to complete.
    private(set) var ifCompleted = false
    /// Whether the end of the connection withdraws this requester.
    private(set) var cancels = false

    init(_ plain: PlainParameters) throws(RPCError) {
        guard let name = plain.action.string else {
            throw .refused([RPCError.Fault(path: "/action", message: Parameters.mustBeString)])
        }
        action = name
        input = plain.input
    }

    init(_ params: JSONView?) throws(RPCError) {
        let parameters = try Parameters(params, of: .actionExecute)
        action = try parameters.string("action")
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
        after = try parameters.optionalString("after")
        ifCompleted = try parameters.optionalBool("ifCompleted") ?? false
        if ifCompleted, after == nil { throw parameters.fault("ifCompleted", "needs \"after\"") }
        dueAt = try parameters.optionalTime("at")
        guard dueAt != nil else { return }
        if stream != nil { throw parameters.fault("stream", "cannot be combined with \"at\"") }
        if cancels { throw parameters.fault("onDisconnect", "must be \"detach\" with \"at\"") }
    }
}
