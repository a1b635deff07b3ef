internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `execution.wait`: answers at an execution's end with its record, or when an action has nothing in flight or queued.
struct ExecutionWait: MethodHandler {
    static let method = Method.executionWait
    static let onlyAnswers = true

    private enum Target {
        case execution(String)
        case action(HostedAction)
    }

    private let call: Call
    private let target: Target
    private let timeout: Duration?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        timeout = try parameters.optionalDuration("timeout")
        switch (parameters["execution"], parameters["action"]) {
        case (nil, nil), (.some, .some):
            throw parameters.fault("execution", "one of \"execution\" and \"action\" is required")
        case (.some, nil):
            target = .execution(try parameters.string("execution"))
        case (nil, .some):
            target = .action(
                try call.client.action(parameters.string("action"), allowing: .read, for: Self.method))
        }
        self.call = call
    }

    func perform() throws(RPCError) {
        switch target {
        case .execution(let text): try wait(forExecution: text)
        case .action(let action): wait(for: action)
        }
    }

    private func wait(forExecution text: String) throws(RPCError) {
        let lookup = ExecutionLookup(session: call.session, operation: .read, method: Self.method)
        try lookup.find(text) { [call, timeout] found in
            switch found {
            case .success(.live(let execution)):
                call.session.waits.wait(
                    call.reply, timeout: timeout, forEndOf: execution,
                    as: Waits.Target(action: execution.action, execution: execution))
            case .success(.past(let record)):
                call.answer(with: record, as: lookup)
            case .failure(let error):
                call.reply.failure(error)
            }
        }
    }

    private func wait(for action: HostedAction) {
        let target = Waits.Target(action: action, execution: nil)
        call.session.waits.wait(call.reply, timeout: timeout, for: target) { callback in
            action.whenIdle(callback)
        } answer: { reply in
            reply.success { writer in
                writer.beginObject()
                writer.field("action", action.name)
                writer.endObject()
            }
        }
    }
}
