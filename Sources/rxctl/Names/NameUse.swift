/// What a command does with the names in its arguments: the kinds that it takes, and what to do with a name of another
/// kind. This is the only table of nouns: a command refers to its row.
struct NameUse: Sendable {
    let kinds: [NamedKind]
    /// What to do with a name of another kind, where NAME stands for it.
    private let others: [NamedKind: String]
    /// Whether all names must be of one kind.
    let isUniform: Bool

    private init(_ kinds: NamedKind..., isUniform: Bool = false, others: [NamedKind: String] = [:]) {
        self.kinds = kinds
        self.isUniform = isUniform
        self.others = others
    }

    /// What to do with a name of a kind that is not among `kinds`.
    func advice(on name: String, of kind: NamedKind) -> String {
        (others[kind] ?? (kind == .execution ? "rxctl why NAME" : "rxctl describe NAME"))
            .replacing("NAME", with: name)
    }

    static let execute = NameUse(.action, others: [.reactor: "rxctl dispatch NAME", .stream: "rxctl fire NAME"])
    static let check = NameUse(.action)
    static let dispatch = NameUse(.reactor, others: [.action: "rxctl execute NAME", .stream: "rxctl fire NAME"])
    static let state = NameUse(.reactor, others: [.action: "rxctl why NAME", .stream: "rxctl why NAME"])
    static let send = NameUse(.stream, others: [.action: "rxctl execute NAME", .reactor: "rxctl dispatch NAME"])
    static let marbles = NameUse(.stream, others: [.action: "rxctl history NAME", .reactor: "rxctl history NAME"])
    static let toggle = NameUse(
        .action, .stream, others: [.reactor: "it is always enabled; disable the actions that it executes"])
    static let why = NameUse(
        .action, .stream, .execution,
        others: [.reactor: "it is always enabled; rxctl history NAME prints what led to its state"])
    static let executions = NameUse(
        .action, .execution,
        others: [
            .reactor: "it has no executions; rxctl history NAME prints its actions",
            .stream: "it has no executions; rxctl marbles NAME draws those that it started",
        ])
    static let retry = NameUse(
        .action, .execution,
        others: [
            .reactor: "rxctl dispatch NAME",
            .stream: "it has no executions; name the action that it starts",
        ])
    static let after = NameUse(
        .action, .execution,
        others: [
            .reactor: "it has no executions; name an action or an execution",
            .stream: "it has no executions; name the action that it starts",
        ])
    static let history = NameUse(.action, .reactor, others: [.stream: "rxctl marbles NAME"])
    static let subscribe = NameUse(.action, .reactor, .stream, .execution, isUniform: true)
    static let describe = NameUse(.action, .reactor, .stream)
}
