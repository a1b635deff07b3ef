internal import RxHost

/// The reactors that are compiled in, by the name that a configuration gives.
enum BuiltinReactor: String, Sendable, CaseIterable {
    case tasks

    /// The definition of the reactor that the configuration calls `word`; nil for an unknown word.
    static func definition(of word: String, name: String, summary: String?) -> ReactorDefinition? {
        BuiltinReactor(rawValue: word)?.definition(name: name, summary: summary)
    }

    /// The definition of one under a name of the configuration's choice.
    func definition(name: String, summary: String? = nil) -> ReactorDefinition {
        switch self {
        case .tasks: tasksDefinition(name: name, summary: summary)
        }
    }
}
