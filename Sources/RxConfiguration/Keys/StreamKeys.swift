internal import RxStreams

/// The tables of streams, beside the sources and operators.
extension KeyTable {
    static let stream = ConfigurationTable(
        "[stream.NAME]",
        """
        A stream: one source, whose key and parameters stand in this table, and operators. Actions and reactors name \
        it in `on`.
        """,
        [through, persist, description, enabled, granted])

    static let binding = ConfigurationTable(
        "on",
        "A source in the `on` of an action or a reactor is a stream, too. Its table has these keys beside its own.",
        [
            through,
            .key(
                "input", ValueText.program,
                "Gives the input of the action, or the action for the reactor. Without it, the element is that."),
            .key(
                "when-full", ValueText.words(BindingDefinition.WhenFull.allCases.map(\.rawValue)),
                default: "\"wait\"",
                "What happens to an element while the queue of the action is full."),
            .key(
                "name", ValueText.text,
                """
                The name of the stream. Without it, the name is that of the action or reactor with a number, such as \
                `backup@1`. Needed in an array if the source keeps a position.
                """),
            persist, description, enabled, granted,
        ])

    static let each = ConfigurationTable(
        "each",
        """
        The value of an operator that executes: either the name of an action, or this table, with which each element \
        becomes an inner stream.
        """,
        [
            .required("each", ValueText.program, "Its results are the elements of the inner stream."),
            .key("through", "an array of steps", default: "[]", "The operators of the inner stream."),
        ])

    static let condition = ConfigurationTable(
        "enabled",
        "When an action accepts inputs, or a stream runs. A condition has one of these keys, or two with `when`.",
        [
            .key("reactor", "the name of a reactor", "Holds while `when` holds for the reactor's state."),
            .key(
                "stream", "the name of a stream",
                "Holds while `when` holds for the stream's last element; not before its first one."),
            .key("when", ValueText.program, "Needed by `reactor` and `stream`."),
            .key(
                "path-exists", "an absolute path in a string", "Holds while there is a file or a directory."),
            .key("all", "an array of conditions", "Holds while all of them hold."),
            .key("any", "an array of conditions", "Holds while one of them holds."),
            .key("not", "a condition", "Holds while that one does not."),
        ])

    // MARK: Keys that both have

    private static let through = ConfigurationKey.key(
        "through", "an array of steps such as [{ take = 1 }]", default: "[]", "The operators, in order.")
    private static let persist = ConfigurationKey.key(
        "persist", ValueText.boolean, default: "false",
        "Whether the positions of the source and the state of the operators survive the daemon.")
    private static let description = ConfigurationKey.key(
        "description", ValueText.text, default: "\"\"", "What the stream is, for people.")
    private static let enabled = ConfigurationKey.key(
        "enabled", ValueText.condition, default: "true", "When the stream runs.")
    private static let granted = ConfigurationKey.key(
        "allow", "\"all\", or a table: see `allow` above",
        """
        Who may read the stream, beyond those who may read all that it is made of. `rxd --check` reports it.
        """)
}
