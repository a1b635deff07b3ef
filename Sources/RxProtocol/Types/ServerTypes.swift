// The daemon itself.

extension NamedType {
    static let limits = NamedType(
        "Limits", "What a connection and a subscription may use; `[limits]` in the configuration sets it.",
        fields: Limits.descriptions.map { .always($0.name, .count, $0.summary) })

    static let versions = NamedType(
        "Versions", "Versions of the protocol.",
        fields: [.always("min", .integer, "The lowest."), .always("max", .integer, "The highest.")])

    static let server = NamedType(
        "Server", "The program that answers.",
        fields: [
            .always("name", .string, "The program's name."),
            .always("version", .string, "Its version."),
        ])

    static let hello = NamedType(
        "Hello", "The two sides' identities, and what the daemon can do.",
        fields: [
            .always("server", .named(.server), "The daemon's program."),
            .always("protocol", .integer, "The version of the protocol that is spoken: 1."),
            .always("epoch", .string, "The epoch of the log; cursors begin with it."),
            .always("features", .array(of: .string), "The features that a client may require."),
            .always("limits", .named(.limits), "The limits in force."),
            .always("peer", .named(.peer), "The client, as the kernel identified it."),
        ])

    static let status = NamedType(
        "Status", "Figures of the daemon at one moment.",
        fields: [
            .always("version", .string, "The daemon's version."),
            .always("pid", .count, "Its process id."),
            .always("epoch", .string, "The epoch of the log; cursors begin with it."),
            .always("startedAt", .named(.time), "When it started."),
            .always("cursor", .named(.cursor), "The cursor of the newest event."),
            .always("actions", .count, "Configured actions."),
            .always("executions", .count, "Executions in flight and queued."),
            .always("connections", .count, "Open connections."),
            .always("subscriptions", .count, "Open subscriptions of all connections."),
            .always("queuedBytes", .count, "The memory of what waits for clients to read it, in bytes."),
            .maybe("users", .array(of: .named(.account)), "With `users`: what each connected user uses."),
            .maybe(
                "processorMilliseconds", .count,
                "With `process`: the processor time that the daemon has used since it started, without its programs."),
            .maybe(
                "residentBytes", .count,
                "With `process`: the memory of the daemon, without that of files; absent if it is unknown."),
            .maybe(
                "configuration", .string,
                "With `process`: the absolute path of the directory of its configuration; absent if it has none."),
            .maybe(
                "state", .string,
                "With `process`: the absolute path of the directory of its state; absent if it has none."),
        ])

    static let account = NamedType(
        "Account", "What one user uses of the daemon.",
        fields: [
            .always("uid", .count, "The user."),
            .always("connections", .count, "Open connections."),
            .always("queuedBytes", .count, "The memory of what waits for the user's clients to read it, in bytes."),
            .always("heldBytes", .count, "Bytes of elements that are collected for answers."),
            .always(
                "keptBytes", .count,
                "The memory of what is kept for the user, in bytes: unanswered requests, answers that batches have "
                    + "collected, subscriptions, and the inputs of executions and dispatches in flight."),
            .always("waitingRequests", .count, "Requests that wait until the user's clients have read more."),
            .always("longLines", .count, "Incomplete lines above 16 KiB."),
            .always(
                "storeReads", .count,
                "Parts of histories, logs, and states that wait to be read from the disk. Users are served in turn."),
        ])

    static let reload = NamedType(
        "Reload", "What a reload changed, or would change.",
        fields: [
            .always("added", .array(of: .string), "Names of actions and reactors that are new."),
            .always("changed", .array(of: .string), "Names whose definition differs."),
            .always("removed", .array(of: .string), "Names that are gone."),
            .always("unchanged", .array(of: .string), "Names whose definition is the same."),
            .maybe("streams", .named(.reloadedStreams), "What becomes of the streams; absent where there are none."),
            .maybe(
                "faults", .array(of: .string),
                "Reactors that do not run as they are defined, and why, a line for each; absent if there are none. A "
                    + "new one does not run; a changed one runs as it did before."),
        ])

    static let reloadedStreams = NamedType(
        "ReloadedStreams", "What a reload did, or would do, with streams: each name is in one list.",
        fields: [
            .always("started", .array(of: .string), "Streams that start."),
            .always("stopped", .array(of: .string), "Streams that stop."),
            .always("startedOver", .array(of: .string), "Streams with another source: they start over."),
            .always(
                "reset", .array(of: .string),
                "Streams that go on where they are and lose the state of their operators: `through` has changed, or "
                    + "they do not persist."),
            .always("restarted", .array(of: .string), "Streams that are rebuilt and keep everything."),
            .always("unchanged", .array(of: .string), "Streams that are left alone, with all that is pending."),
        ])

    static let document = NamedType(
        "Document", "An OpenRPC 1.2 document.",
        fields: [
            .always("openrpc", .string, "The version of OpenRPC."),
            .always("info", .any, "The title and the version of the program."),
            .always("methods", .array(of: .any), "One method object for each method."),
            .always("components", .any, "The schemas that the methods and the notifications refer to."),
            .always("x-notifications", .array(of: .any), "The notifications that the daemon sends."),
        ])
}
