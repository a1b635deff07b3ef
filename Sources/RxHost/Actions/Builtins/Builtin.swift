/// Built-in kinds of actions, which need no process: for demos, tests, and benchmarks.
public enum Builtin: String, Sendable, CaseIterable {
    case echo, fail, ticks

    /// The definition of an action of this kind.
    ///
    /// - Parameters:
    ///   - name: the name of the action.
    ///   - summary: a description for clients; nil for that of the kind.
    ///   - scheduler: where the work runs; nil for the kind's default. Work on a scheduler of its own is never an
    ///     `ActionDefinition.answer`.
    ///   - timeout: the longest time that the work may take; nil for no limit.
    public func definition(
        name: String, summary: String? = nil, scheduler: WorkScheduler? = nil, timeout: Duration? = nil
    ) -> ActionDefinition {
        var definition =
            switch self {
            case .echo: echoDefinition(name: name)
            case .fail: failDefinition(name: name)
            case .ticks: ticksDefinition(name: name)
            }
        definition.summary = summary
        definition.timeout = timeout
        if let scheduler {
            definition.scheduler = scheduler
            switch scheduler {
            case .inline: break
            case .serial: definition.answer = nil
            }
        }
        definition.fingerprint =
            "builtin \(rawValue) \(definition.scheduler.rawValue) \(String(describing: timeout)) \(summary ?? "")"
        return definition
    }
}
