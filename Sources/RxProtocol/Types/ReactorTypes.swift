// Reactors, their states, and their histories.

extension NamedType {
    static let reactor = NamedType(
        "Reactor", "A reactor: its definition and the client's rights.",
        fields: [
            .always("reactor", .string, "The name."),
            .always("description", .orNull(.string), "The description in the configuration; null if there is none."),
            .always("kind", .string, "`jq`, `builtin`, or a program's own."),
            .always("revision", .count, "The number of mutations so far."),
            .always("persist", .boolean, "Whether the state survives a restart of the daemon."),
            .maybe(
                "durability", .word(["sync", "normal", "off"]),
                "What the answer to a dispatch promises of its mutations: they are on the disk (`sync`); "
                    + "they are about to be "
                    + "written, in their order (`normal`); or nothing (`off`). Absent without `persist`."),
            .maybe("history", .count, "Revisions whose steps are kept. Absent without `persist`."),
            .maybe(
                "historyBytes", .count,
                "Bytes on the disk that they may have; older ones are removed beyond it. Absent without `persist`."),
            .always("rights", .array(of: .named(.right)), "What this client may do with the reactor."),
            .maybe(
                "schema", .any,
                "The JSON Schema of the actions; null if there is none. Only `reactor.describe` reports it."),
        ])

    static let reactors = NamedType(
        "Reactors", "Reactors, sorted by name.",
        fields: [.always("reactors", .array(of: .named(.reactor)), "The reactors that the client has any right on.")])

    static let reactorLevels = NamedType(
        "ReactorSnapshot", "A state and its revision, in a snapshot and in `state` events.",
        fields: [
            .always("state", .any, "The whole state."),
            .always("revision", .count, "The number of mutations that led to it."),
        ])

    static let reactorState = NamedType(
        "ReactorState", "The state of a reactor, or the requested part of it.",
        fields: [
            .always("reactor", .string, "The reactor's name."),
            .always("state", .any, "The state, or the part at `path`."),
            .always("revision", .count, "The revision that it is of."),
        ])

    static let dispatched = NamedType(
        "Dispatched", "The mutations of an action are reduced.",
        fields: [
            .always("reactor", .string, "The reactor's name."),
            .always("revision", .count, "The revision that they led to."),
        ])

    static let reducedStep = NamedType(
        "ReducedStep", "A step of a history: a mutation was reduced.",
        fields: [
            .always("revision", .count, "The revision that it led to."),
            .always("time", .named(.time), "When."),
            .always("by", .named(.origin), "Who dispatched the action; null for a mutation of a merged stream."),
            .always("action", .any, "The action; null for a mutation of a merged stream."),
            .always("mutation", .any, "The mutation."),
        ])

    static let replacedStep = NamedType(
        "ReplacedStep", "A step of a history: another state took the place of the one before.",
        fields: [
            .always("revision", .count, "The revision of the new state."),
            .always("time", .named(.time), "When."),
            .always(
                "replaced", .word(["definition", "loss"]),
                "Why: the reactor's definition changed, or steps could not be written."),
        ])

    static let history = NamedType(
        "History", "A page of a reactor's history.",
        fields: [
            .always("reactor", .string, "The reactor's name."),
            .always(
                "history", .array(of: .either([.named(.reducedStep), .named(.replacedStep)])),
                "The steps, oldest first; empty for a reactor that does not persist."),
            .maybe(
                "truncated", .boolean,
                "True if there are older steps; pass the first step's revision as `before` to get them. "
                    + "Absent otherwise."
            ),
        ])
}
