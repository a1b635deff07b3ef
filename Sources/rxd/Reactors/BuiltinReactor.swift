internal import RxHost

/// The reactors that are compiled in, by the name that a configuration gives.
enum BuiltinReactor: String, Sendable, CaseIterable {
    case tasks

    /// The definition of one under a name of the configuration's choice.
    func definition(name: String, summary: String? = nil) -> ReactorDefinition {
        switch self {
        case .tasks: tasksDefinition(name: name, summary: summary)
        }
    }
}
