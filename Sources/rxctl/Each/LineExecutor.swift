internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// What the executions of all lines have in common.
final class LineExecutor {
    let session: DaemonSession
    let options: LineOptions
    let keys: LineKeys
    /// Called when the end of the daemon has cut an execution short and its line is executed again, before that.
    var logCut: (EachLine, _ execution: String) -> Void = { _, _ in }
    /// Whether the action has `retry`, once that is known.
    private var isRepeatable: Bool?

    init(_ session: DaemonSession, _ options: LineOptions, _ keys: LineKeys) {
        self.session = session
        self.options = options
        self.keys = keys
    }

    /// The execution of a line, which has not started.
    ///
    /// - Parameter tries: how often the line has ended before.
    func execution(
        of line: EachLine, _ input: RawJSON, tries: Int, deliver: @escaping (LineResult) -> Void
    ) -> any ExecutedLine {
        guard options.isDetached else { return AttachedLine(self, line, input, tries: tries, deliver: deliver) }
        return DetachedLine(
            session, options.request(input, key: keys.detachedKey(of: line)), line.place, deliver: deliver)
    }

    /// Whether failed work may be executed again: so it is if the action's definition has `retry`.
    func mayRepeat(_ body: @escaping (Bool) -> Void) {
        if let isRepeatable { return body(isRepeatable) }
        let params = RawJSON(["action": .string(options.action)])
        session.link.call(Method.actionDescribe.rawValue, params, isRepeatable: true) { [self] reply in
            switch reply {
            case .success(let result):
                let hasRetry = result.value()["retry"].map { $0 != .null } ?? false
                isRepeatable = hasRetry
                body(hasRetry)
            case .failure(let error) where error.mayPass:
                session.schedule(after: LineExecutor.pause) { [self] in mayRepeat(body) }
            case .failure:
                body(false)
            }
        }
    }

    /// The time until a daemon that is stopping is asked again.
    private static let pause = Duration.milliseconds(100)

    /// The daemon has reached its limit of keys.
    ///
    /// - Returns: whether to go on without them.
    func goOnWithoutKeys(_ limit: String) -> Bool {
        let changes = keys.giveUp()
        if changes {
            session.note(
                "the daemon's limit of keys (\(limit)) is reached; from now on, a line that is in flight when the "
                    + "daemon ends fails instead of being executed again")
        }
        return changes
    }
}
