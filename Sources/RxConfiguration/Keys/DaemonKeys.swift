internal import Logging
internal import RxProtocol

/// The tables that are about the daemon as a whole.
extension KeyTable {
    static let daemon = ConfigurationTable(
        "[rxd]", "The daemon itself.",
        [
            .key(
                "stop-timeout", ValueText.duration, default: "\"10s\"",
                "The longest time that a stopping daemon waits for executions to end."),
            .key(
                "key-lifetime", ValueText.duration, default: "\"1h\"",
                "How long an idempotency key is remembered, across restarts."),
            .key(
                "log-level", ValueText.words(Logger.Level.allCases.map(\.rawValue)), default: "\"info\"",
                "The least severe records that are logged."),
        ])

    static let limits = ConfigurationTable(
        "[limits]",
        "What is bounded. `server.hello` reports these limits, and a refusal names the one that was reached.",
        Limits.descriptions.map { limit in
            let value = Limits()[keyPath: limit.value]
            let isSize = limit.name.contains("Bytes") || limit.name.hasPrefix("bytes")
            return .key(
                limit.name, isSize ? ValueText.size : "an integer",
                default: isSize ? "\"\(ByteSize.text(value))\"" : "\(value)", limit.summary)
        })

    static let history = ConfigurationTable(
        "[history]", "What is kept of ended executions and of the revisions of reactors.",
        [
            .key("count", ValueText.integer(0...100_000_000), default: "10000", "The most executions that are kept."),
            .key("age", ValueText.duration, default: "\"30d\"", "The longest time that an execution is kept."),
            .key(
                "output", ValueText.size, default: "\"64KiB\"",
                """
                How much of the elements of each execution is kept, half for the first and half for the last ones, and \
                as much of its standard error. An element that does not fit is left out whole. \"0\" keeps none; \
                \"16MiB\" is the most.
                """),
            .key(
                "bytes", ValueText.size, default: "\"512MiB\"",
                "The disk space for executions, their output, and events. Beyond it, the oldest are removed."),
            .key(
                "state-bytes", ValueText.size, default: "\"512MiB\"",
                "The disk space for all reactors together. Beyond it, the largest one loses its oldest revisions."),
        ])

    static let access = ConfigurationTable(
        "[access]",
        """
        Who may use actions and reactors without an `allow` of their own. Root and the daemon's user may do everything.
        """,
        [
            .key(
                "execute", ValueText.grant, default: "\"all\"",
                "Who may execute actions and dispatch to reactors, and cancel their own executions."),
            .key(
                "subscribe", ValueText.grant, default: "\"all\"",
                "Who may see the elements and the records of all executions."),
            .key(
                "manage", ValueText.grant, default: "{ users = [], groups = [] }",
                """
                Who may disable and enable actions, cancel the executions of others, and reload the configuration.
                """),
            .key(
                "contact", ValueText.text, default: "\"\"",
                "Whom to ask for a right, such as \"ops@example.org\". A refusal names it."),
        ])

    static let grant = ConfigurationTable(
        "execute, subscribe, and manage",
        "The value of a right: \"all\" means everyone who may open the socket.",
        [
            .key("users", "an array of names or uids", default: "[]", "The users that have the right."),
            .key("groups", "an array of names or gids", default: "[]", "The groups whose members have the right."),
        ])
}
