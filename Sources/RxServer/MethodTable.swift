internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The handler of each method.
enum MethodTable {
    /// Carries a request out, or answers with the reason why not.
    ///
    /// - Parameter plain: the params of an `action.execute` without options, if they have been read.
    static func perform(_ request: Request, _ plain: PlainParameters?, _ call: Call) {
        do throws(RPCError) {
            // Before it has an effect.
            if let refusal = call.reply.batch?.refusal { throw refusal }
            if let plain { return try ActionExecute(ExecuteParameters(plain), call).perform() }
            try perform(method(of: request), request.params, call)
        } catch {
            call.reply.failure(error)
        }
    }

    private static func method(of request: Request) throws(RPCError) -> Method {
        // Compared in place, because most requests call one of these two.
        if request.calls(Method.actionExecuteName) { return .actionExecute }
        if request.calls(Method.reactorDispatchName) { return .reactorDispatch }
        let name = request.method
        guard let method = Method(rawValue: name) else {
            throw RPCError(.methodNotFound, message: "no such method: \(name)") { writer in
                writer.field("method", name)
            }
        }
        return method
    }

    private static func perform(_ method: Method, _ params: JSONView?, _ call: Call) throws(RPCError) {
        switch method {
        case .rpcDiscover: try perform(RPCDiscover.self, params, call)
        case .serverHello: try perform(ServerHello.self, params, call)
        case .serverStatus: try perform(ServerStatus.self, params, call)
        case .serverReload: try perform(ServerReload.self, params, call)
        case .actionList: try perform(ActionList.self, params, call)
        case .actionDescribe: try perform(ActionDescribe.self, params, call)
        case .actionExecute: try perform(ActionExecute.self, params, call)
        case .actionCheck: try perform(ActionCheck.self, params, call)
        case .actionEnable: try perform(ActionEnable.self, params, call)
        case .actionDisable: try perform(ActionDisable.self, params, call)
        case .actionCancel: try perform(ActionCancel.self, params, call)
        case .actionForget: try perform(ActionForget.self, params, call)
        case .executionList: try perform(ExecutionList.self, params, call)
        case .executionGet: try perform(ExecutionGet.self, params, call)
        case .executionOutput: try perform(ExecutionOutput.self, params, call)
        case .executionCancel: try perform(ExecutionCancel.self, params, call)
        case .executionWait: try perform(ExecutionWait.self, params, call)
        case .reactorList: try perform(ReactorList.self, params, call)
        case .reactorDescribe: try perform(ReactorDescribe.self, params, call)
        case .reactorState: try perform(ReactorStateRead.self, params, call)
        case .reactorHistory: try perform(ReactorHistory.self, params, call)
        case .reactorDispatch: try perform(ReactorDispatch.self, params, call)
        case .streamList: try perform(StreamList.self, params, call)
        case .streamDescribe: try perform(StreamDescribe.self, params, call)
        case .streamSend: try perform(StreamSend.self, params, call)
        case .streamFire: try perform(StreamFire.self, params, call)
        case .streamEnable: try perform(StreamEnable.self, params, call)
        case .streamDisable: try perform(StreamDisable.self, params, call)
        case .subscribe: try perform(Subscribe.self, params, call)
        case .unsubscribe: try perform(Unsubscribe.self, params, call)
        }
    }

    private static func perform<Handler: MethodHandler>(
        _: Handler.Type, _ params: JSONView?, _ call: Call
    ) throws(RPCError) {
        var call = call
        if call.reply.batch != nil { call.reply.mayRefuse = Handler.onlyAnswers }
        let handler = try Handler(params, call)
        if Handler.onlyAnswers, call.reply.id == nil || !call.output.hasReader { return call.reply.drop() }
        try handler.perform()
    }
}
