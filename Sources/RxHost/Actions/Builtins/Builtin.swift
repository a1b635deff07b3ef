/// The actions that need no process: for demos, tests and benchmarks, by the name a configuration gives.
public enum Builtin: String, Sendable, CaseIterable {
    case echo, fail, ticks

    /// The definition of a built-in under a name of the configuration's choice.
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
        if let scheduler { definition.scheduler = scheduler }
        definition.fingerprint =
            "builtin \(rawValue) \(definition.scheduler.rawValue) \(String(describing: timeout)) \(summary ?? "")"
        return definition
    }
}
