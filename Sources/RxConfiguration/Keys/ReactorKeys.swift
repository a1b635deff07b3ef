internal import RxRecords

/// The tables of reactors.
extension KeyTable {
    static let reactor = ConfigurationTable(
        "[reactor.NAME]",
        """
        A reactor keeps a state, takes actions, and sends changes. An action becomes mutations, and each mutation \
        makes the next state; both steps are jq programs, which run in a separate process with at most one second of \
        processor time and 256 MiB.
        """,
        [
            .required("initial", "a value, or the name of a .json file", "The first state."),
            .key(
                "action", ValueText.schema, "The schema of an action. Without one, any value is an action."),
            .key(
                "mutate", "an array of rules: see `mutate` below",
                """
                How an action becomes mutations. Rules apply in order, each to the state that the ones before it left. \
                Without this key, the action is the mutation.
                """),
            .required(
                "reduce", ValueText.program, "Makes the new state of {state, mutation}."),
            .key(
                "otherwise", ValueText.words(["refuse", "ignore"]), default: "\"refuse\"",
                "What happens to an action for which no rule holds. Needs `mutate`."),
            .key(
                "merge", "an array of tables: see `merge` below", default: "[]",
                "Other streams whose elements are mutations."),
            .key(
                "persist", ValueText.boolean, default: "false",
                "Whether the state outlives the daemon. The next four keys need it."),
            .key(
                "durability", ValueText.words(ReactorPersistence.Durability.allCases.map(\.rawValue)),
                default: "\"normal\"",
                "What a response means: a state on the disk (\"sync\"), in the log (\"normal\"), or neither (\"off\")."
            ),
            .key(
                "on-change", ValueText.words(ReactorPersistence.ChangePolicy.allCases.map(\.rawValue)),
                default: "\"keep\"",
                """
                What happens to the kept state when the programs change: it stays, or the kept actions are replayed.
                """),
            .key(
                "history", ValueText.integer(1...ReactorReader.mostHistory), default: "10000",
                "The number of revisions that are kept."),
            .key(
                "history-bytes", ValueText.size, default: "\"64MiB\"",
                "The disk space for revisions. The newest state is kept in any case."),
            .key("description", ValueText.text, default: "\"\"", "What the reactor is, for people."),
            .key(
                "allow", "\"all\", or a table: see `allow` above",
                """
                Who may use the reactor, in place of what [access] states, which is the default: dispatching needs \
                execute, reading the state subscribe.
                """),
            .key(
                "on", sources, default: "[]",
                "What dispatches to the reactor without a client: each element of the stream is an action."),
        ])

    static let rule = ConfigurationTable(
        "mutate",
        """
        A rule of a reactor. The input of its programs is {action, state}, with `element` or `error` where the rule \
        executes an action.
        """,
        [
            .key("when", ValueText.program, "The rule applies if this holds. Without it, the rule always applies."),
            .key("mutation", ValueText.program, "Yields any number of mutations."),
            .key(
                "execute", "the name of an action",
                """
                Executes an action of this configuration. The execution belongs to the reactor, whoever dispatches.
                """),
            .key("input", ValueText.program, "With `execute`: the input. Without it, the reactor's action."),
            .key(
                "element", ValueText.program, "With `execute`: makes mutations of {action, state, element}."),
            .key(
                "failure", ValueText.program, "With `execute`: makes mutations of {action, state, error}."),
            .key(
                "refuse", ValueText.program,
                """
                Gives the reason for which actions are refused while `when`, which it needs, holds. Such rules come \
                first: if one holds, nothing mutates. It excludes the other keys.
                """),
        ])

    static let merge = ConfigurationTable(
        "merge", "Another stream of a reactor. It has either `action` or `reactor`.",
        [
            .key("action", "the name of an action", "The elements of this action, as {state, element}."),
            .key("reactor", "the name of a reactor", "The state of another reactor, as {state, other}."),
            .required("mutation", ValueText.program, "Makes mutations of these."),
        ])
}
