internal import RxProcess
internal import RxAction
internal import RxHost
internal import RxJSON

/// `[defaults]`: values for keys that an action does not set.
struct ActionDefaults: Sendable, Equatable {
    var overlap = Overlap.reject
    /// Nil for the default of the action's kind.
    var scheduler: WorkScheduler?
    var timeout: Duration?
    var retry: RetryPolicy?
    var output = ProcessOutput.lines
    var grace = ProcessDefinition.defaultGrace
    var cwd: String?
    var environment: [String: String] = [:]

    init() {}

    init(_ table: TableReader) {
        var table = table
        // No `limit`: one number would apply to queues and to concurrency.
        table.refuse("limit", "is a key of actions; [defaults] has only \"overlap\"")
        table.refuse("parallel", "is a key of actions; [defaults] has only \"overlap\"")
        table.refuse("by", "is a key of actions")
        table.refuse("allow", "is a key of actions; for all of them, use [access]")
        overlap = table.overlap() ?? overlap
        retry = table.retry()?.value
        scheduler =
            table.choice("scheduler", among: [("auto", nil), ("serial", WorkScheduler?.some(.serial))]) ?? scheduler
        timeout = table.optionalDuration("timeout", atLeast: .milliseconds(1))?.value
        output = table.choice("output", ProcessOutput.self) ?? output
        grace = table.duration("grace") ?? grace
        cwd = table.workingDirectory()?.value
        environment = table.environment() ?? environment
        table.finish()
    }
}

/// Keys with the same meaning in `[defaults]` and in `[action.NAME]`.
extension TableReader {
    /// An absolute path, or "." for the daemon's own directory.
    mutating func workingDirectory() -> Choice<String>? {
        guard let node = node("cwd") else { return nil }
        guard case .string(let text) = node.content else {
            fault("must be a string, not \(node.kind)", at: node, key: "cwd")
            return nil
        }
        if text == "." { return Choice.none }
        guard text.hasPrefix("/") else {
            let reason = text.hasPrefix("~") ? "; ~ is not expanded" : ""
            fault("must be an absolute path, or \".\" for the daemon's own directory\(reason)", at: node, key: "cwd")
            return nil
        }
        return .some(text)
    }

    /// Warns of a grace period that a stop of the daemon cuts short, if the table has one.
    func warn(ofGrace grace: Duration, beyond stopTimeout: Duration) {
        guard isGiven("grace"), grace > stopTimeout else { return }
        faults.warn(
            "is longer than stop-timeout (\(stopTimeout.rxText)), after which a stopping daemon waits no longer; set "
                + "stop-timeout in [rxd] to at least \(grace.rxText)",
            at: place(of: "grace"), key: path + ["grace"])
    }

    mutating func environment() -> [String: String]? {
        strings("env") { name, _ in
            if !ProcessEnvironment.isName(name) { return "is not a valid variable name" }
            if ProcessEnvironment.isReserved(name) { return "is set or removed by rxd itself" }
            return nil
        }
    }
}
