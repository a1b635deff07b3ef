// Actions and their levels.

extension NamedType {
    static let reasonExecuting = NamedType(
        "ReasonExecuting", "Disabled: as much work is in flight as the overlap policy starts.",
        fields: [
            .always("cause", .word(["executing"]), "Always `executing`."),
            .always("execution", .named(.executionID), "The oldest execution in flight."),
            .always("since", .named(.time), "When it started."),
            .always("by", .named(.origin), "Who requested it."),
            .always("inFlight", .count, "How many executions are in flight."),
            .always("limit", .count, "How many may be."),
        ])

    static let reasonCondition = NamedType(
        "ReasonCondition", "Disabled: the action's condition does not hold.",
        fields: [
            .always("cause", .word(["condition"]), "Always `condition`."),
            .always("value", .boolean, "The value of the condition: false."),
            .maybe("reactor", .string, "The reactor whose state the condition reads, if it reads one."),
            .maybe("when", .string, "The jq program of the condition, if it reads a reactor's state."),
            .maybe(
                "message", .string, "Which parts of the condition do not hold, if it is not just a reactor's state."),
            .maybe(
                "error", .string,
                "Why the condition could not be evaluated, if that is so: with values only for clients that may "
                    + "subscribe to the reactor."),
        ])

    static let reasonManual = NamedType(
        "ReasonManual", "Disabled: a client has called `action.disable`.",
        fields: [
            .always("cause", .word(["manual"]), "Always `manual`."),
            .always("by", .named(.origin), "Who disabled the action."),
            .always("since", .named(.time), "When."),
            .always("reason", .orNull(.string), "Why, in that client's words; null if it gave no reason."),
        ])

    static let reasonStopping = NamedType(
        "ReasonStopping", "Disabled: the daemon is stopping.",
        fields: [.always("cause", .word(["stopping"]), "Always `stopping`.")])

    static let reason = NamedType(
        "Reason", "Why an action is disabled; `cause` distinguishes the cases.",
        .union([.named(.reasonExecuting), .named(.reasonCondition), .named(.reasonManual), .named(.reasonStopping)]))

    static let enabled = NamedType(
        "Enabled", "Whether an action accepts an input now.",
        fields: enabledFields)

    static let enabledFields: [Field] = [
        .always("enabled", .boolean, "Whether an input would be accepted now."),
        .always("reason", .orNull(.named(.reason)), "Why not; null if it would."),
    ]

    static let retry = NamedType(
        "Retry", "How failed work is repeated.",
        fields: [
            .always("attempts", .count, "Attempts at most, the first included."),
            .always("delay", .named(.duration), "The pause before the second attempt."),
            .always("backoff", .number, "The factor by which each pause is longer than the one before."),
            .always("max", .named(.duration), "The longest pause."),
        ])

    static let action = NamedType(
        "Action", "An action: its definition, its levels, and the client's rights.",
        fields: [
            .always("action", .string, "The name."),
            .always("description", .orNull(.string), "The description in the configuration; null if there is none."),
            .always("kind", .string, "The kind of work: `process`, `pipeline`, `builtin`, or a program's own."),
            .always("schema", .any, "The JSON Schema of the input; null if every input is accepted."),
            .always(
                "overlap", .word(["reject", "queue", "concurrent", "latest", "join"]),
                "What happens to an input while work is in flight."),
            .always(
                "limit", .orNull(.count),
                "The limit of the queue, or of executions in flight; null if the overlap policy has none."),
            .always("parallel", .count, "How many executions may be in flight at a time."),
            .always(
                "by", .orNull(.string),
                "The program over the input: `overlap`, `limit`, and `parallel` hold for each of its results. Null if "
                    + "they hold for the whole action."),
            .always("timeout", .orNull(.named(.duration)), "The longest that the work may take; null if unlimited."),
            .always("retry", .orNull(.named(.retry)), "How failed work is repeated; null if it is not."),
            .always("durable", .boolean, "Whether an accepted input survives a restart of the daemon."),
            .always("executing", .boolean, "Whether work is in flight."),
            .always("queued", .count, "Inputs that wait their turn."),
        ] + enabledFields + [
            .always(
                "next", .orNull(.named(.time)),
                "When it starts next: for a request with `at`, or a slot of a stream that the client may see; null if "
                    + "no such time is known."),
            .maybe(
                "upcoming", .array(of: .named(.upcoming)), "The next times, at most 5. Only in `action.describe`."),
            .maybe(
                "firings", .array(of: .any),
                "The last 20 firings of the streams that the client may see, oldest first, as in `stream.describe`, "
                    + "each with its `stream`. Only in `action.describe`."),
            .always("rights", .array(of: .named(.right)), "What this client may do with the action."),
        ])

    static let actionNow = NamedType(
        "ActionNow", "What changes of an action.",
        fields: [
            .always("action", .string, "The name."),
            .always("inFlight", .count, "Executions in flight."),
            .always("queued", .count, "Inputs that wait their turn."),
        ] + enabledFields + [
            .always("next", .orNull(.named(.time)), "When it starts next, as in `Action`."),
            .maybe(
                "since", .array(of: .named(.time)),
                "When the executions in flight started, at most \(Limits.endsOfAction), oldest first. With `ends`, and "
                    + "the right to subscribe."),
            .maybe(
                "ends", .array(of: .named(.executionEnd)),
                "The last ends, oldest first. With `ends`, and the right to subscribe. Those before the daemon "
                    + "started are in the history only."),
        ])

    static let executionEnd = NamedType(
        "ExecutionEnd", "The end of an execution.",
        fields: [
            .always("state", .word(states.filter { $0 != "queued" && $0 != "executing" }), "How it ended."),
            .always("startedAt", .orNull(.named(.time)), "When the work started; null if it has not."),
            .always("endedAt", .named(.time), "When it ended."),
        ])

    static let actionsNow = NamedType(
        "ActionsNow", "What changes of the actions, sorted by name.",
        fields: [
            .always("actions", .array(of: .named(.actionNow)), "The actions that the client has any right on.")
        ])

    static let upcoming = NamedType(
        "Upcoming", "A time at which an action starts. It has one of `execution` and `stream`.",
        fields: [
            .always("time", .named(.time), "The time."),
            .maybe("execution", .named(.executionID), "The execution that waits for it."),
            .maybe("stream", .string, "The stream that has a slot then."),
        ])

    static let actionLevels = NamedType(
        "ActionSnapshot", "The levels of an action in a snapshot.",
        fields: [.always("executing", .boolean, "Whether work is in flight.")] + enabledFields + [
            .always("executions", .array(of: .named(.execution)), "The executions in flight and queued, oldest first.")
        ])
}
