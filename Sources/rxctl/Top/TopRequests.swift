internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Carries out what keys ask for, with the requests of the commands of the same names. What comes of it is a change of
/// the state.
final class TopRequests {
    /// Records of the history that the bars begin with: 20 for each of 50 actions.
    private static let historyAtStart = 1000

    /// Called with each change.
    var onChange: (_ change: (inout TopState) -> Void) -> Void = { _ in }
    /// Called with a text for the pager.
    var onOutput: ([UInt8]) -> Void = { _ in }

    private let session: DaemonSession

    init(_ session: DaemonSession) { self.session = session }

    /// Reads the ends from before the daemon has started.
    func readHistory() {
        call(.executionList, ["limit": JSONValue(Self.historyAtStart)]) { state, result in
            state.take(history: result["executions"]?.array ?? [])
        }
    }

    func perform(_ request: TopRequest) {
        switch request {
        case .quit: break
        case .cancel(let name):
            call(.actionCancel, ["action": .string(name)]) { state, result in
                let count = result["executions"]?.array?.count ?? 0
                state.message = ("canceled \(count) \(count == 1 ? "execution" : "executions") of \(name)", false)
            }
        case .disable(let kind, let name, let reason):
            var params: JSONObject = [kind.rawValue: .string(name)]
            if !reason.isEmpty { params["reason"] = .string(reason) }
            call(kind == .action ? .actionDisable : .streamDisable, params) { state, _ in
                state.message = ("\(name) is disabled", false)
            }
        case .enable(let kind, let name):
            call(kind == .action ? .actionEnable : .streamEnable, [kind.rawValue: .string(name)]) { state, _ in
                state.message = ("\(name) is no longer disabled by hand", false)
            }
        case .why(let kind, let name):
            call(kind == .action ? .actionDescribe : .streamDescribe, [kind.rawValue: .string(name)]) { state, result in
                // Something else is being typed meanwhile.
                guard state.mode == .list else { return }
                state.mode = .text(title: name, lines: Self.why(kind, name, result), first: 0)
            }
        case .form(let name):
            call(.actionDescribe, ["action": .string(name)]) { state, result in
                guard state.mode == .list else { return }
                state.mode = .form(TopForm(action: name, schema: result["schema"] ?? .null))
            }
        case .execute(let name, let input): execute(name, input)
        case .output(let name, let execution):
            if let execution { return readOutput(execution) }
            readLastOutput(of: name)
        case .log(let before): readLog(before: before)
        }
    }

    // MARK: Requests

    /// Sends a request and changes the state with the answer.
    private func call(
        _ method: Method, _ params: JSONObject, then: @escaping (inout TopState, JSONValue) -> Void
    ) {
        read(method, params) { [self] result in onChange { then(&$0, result) } }
    }

    /// Sends a request; an error becomes the message.
    private func read(_ method: Method, _ params: JSONObject, then: @escaping (JSONValue) -> Void) {
        session.link.call(method, RawJSON(.object(params))) { [self] reply in
            switch reply {
            case .success(let result): then(result.value())
            case .failure(let error):
                onChange { state in
                    state.isReadingLog = false
                    state.message = (Self.text(error), true)
                }
            }
        }
    }

    /// Starts an execution that goes on without `top`. A refusal is a fault of the form.
    private func execute(_ name: String, _ input: RawJSON?) {
        var stream: FollowedStream?
        let request = ExecuteRequest(action: name, input: input)
        stream = session.link.open(.execution(request), deliver: { _ in }) { [self] reply in
            if case .success = reply { stream.map { session.link.unsubscribe($0) } }
            onChange { state in
                switch reply {
                case .success(let result):
                    if case .form = state.mode { state.mode = .list }
                    let execution = ExecuteReply(result)?.execution ?? ""
                    state.message = ("\(name) executes \(execution)", false)
                case .failure(let error):
                    guard case .form(var form) = state.mode, form.action == name else {
                        return state.message = (Self.text(error), true)
                    }
                    form.fault = Self.text(error)
                    form.isSent = false
                    state.mode = .form(form)
                }
            }
        }
    }

    private func readLastOutput(of name: String) {
        let params: JSONObject = [
            "action": .string(name), "limit": JSONValue(1),
            "state": .array(StateList.all.filter { $0 != "queued" }.map { .string($0) }),
        ]
        read(.executionList, params) { [self] result in
            guard let id = result["executions"]?.array?.last?["execution"]?.string else {
                return onChange { $0.message = ("no execution of \(name) is kept", true) }
            }
            readOutput(id)
        }
    }

    private func readOutput(_ execution: String) {
        read(.executionOutput, ["execution": .string(execution)]) { [self] result in
            guard result["kept"]?.bool == true else {
                return onChange { $0.message = ("no output of \(execution) is kept", true) }
            }
            onOutput(TopOutput.text(result))
        }
    }

    private func readLog(before: String?) {
        var params: JSONObject = ["limit": JSONValue(TopPast.page)]
        params["before"] = before.map { .string($0) }
        call(.executionList, params) { state, result in
            // Esc has returned to the present.
            guard state.isReadingLog else { return }
            state.isReadingLog = false
            if before != nil {
                state.past?.addOlder(result)
            } else {
                let past = TopPast(result)
                if past.time == nil { state.message = ("the log has no executions", true) }
                state.past = past.time == nil ? nil : past
            }
            state.settle()
        }
    }

    // MARK: Texts

    private static func why(_ kind: TopItem.Kind, _ name: String, _ result: JSONValue) -> [String] {
        guard kind == .action else { return StreamWhy.lines(result, at: StreamTable.now) }
        let sentence = ReasonText.sentence(
            action: name, enabled: result["enabled"]?.bool ?? false, reason: result["reason"])
        return [sentence] + ActionWhy.lines(result, at: StreamTable.now)
    }

    /// An error on one line.
    private static func text(_ error: ClientError) -> String {
        guard case .refused(let error) = error else { return error.description }
        return error.forPeople.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: "; ")
    }
}
