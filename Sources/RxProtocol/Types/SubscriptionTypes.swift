// Subscriptions and their events.

extension NamedType {
    static let subscribed = NamedType(
        "Subscribed", "The answer to `subscribe`; the events after `cursor` follow.",
        fields: [
            .always("subscription", .string, "The subscription's name."),
            .always("cursor", .named(.cursor), "The cursor of the snapshot."),
            .always("snapshot", .named(.snapshot), "What is subscribed to, as of the cursor."),
        ])

    static let unsubscribed = NamedType(
        "Unsubscribed", "The answer to `unsubscribe`; the subscription's `end` event follows.",
        fields: [.always("subscription", .string, "The subscription's name.")])

    static let snapshot = NamedType(
        "Snapshot", "The levels of everything that is subscribed to. One of the four fields is present.",
        fields: [
            .maybe("actions", .map(key: "action", of: .named(.actionLevels)), "The actions, by name."),
            .maybe("reactors", .map(key: "reactor", of: .named(.reactorLevels)), "The reactors, by name."),
            .maybe(
                "streams", .map(key: "stream", of: .named(.streamNow)),
                "The streams, by name, as of the answer: they have no levels."),
            .maybe("executions", .map(key: "execution", of: .named(.execution)), "The executions, by id."),
        ])

    /// The fields that every event begins with.
    private static func event(_ name: String, _ summary: String, on channel: Channel, _ fields: [Field]) -> NamedType {
        NamedType(
            name, summary,
            fields: [
                .always("subscription", .string, "The subscription's name."),
                .always("seq", .integer(minimum: 1, maximum: nil), "Counts the subscription's events: 1, 2, 3."),
                .always("cursor", .named(.cursor), "The event's place in the daemon's sequence."),
                .always("time", .named(.time), "When it happened."),
                .always("channel", .word([channel.rawValue]), "Always `\(channel.rawValue)`."),
            ] + fields)
    }

    private static let ofAction = Field.always("action", .string, "The action's name.")
    private static let ofExecution = Field.always("execution", .named(.executionID), "The execution's id.")

    static let elementEvent = event(
        "ElementEvent", "An execution or a stream emitted an element.", on: .elements,
        [
            .maybe("action", .string, "The action's name. Absent for a stream."),
            .maybe("execution", .named(.executionID), "The execution's id. Absent for a stream."),
            .maybe("stream", .string, "The stream's name. Absent for an action."),
            .maybe("step", .string, "The step that it has left, for a subscription with `step`."),
            .always("value", .any, "The element."),
        ])

    static let errorEvent = event(
        "ErrorEvent", "An execution failed, an action did not take an input, or a reactor or stream failed.",
        on: .errors,
        [
            .maybe("action", .string, "The action's name. Absent for a reactor and a stream."),
            .maybe("reactor", .string, "The reactor's name. Absent for an action and a stream."),
            .maybe("stream", .string, "The stream's name. Absent for an action and a reactor."),
            .maybe("execution", .named(.executionID), "The execution that failed, if an execution did."),
            .always("error", .named(.error), "What failed."),
        ])

    static let executingEvent = event(
        "ExecutingEvent", "The level `executing` changed.", on: .executing,
        [ofAction, .always("value", .boolean, "Whether work is in flight.")])

    static let enabledEvent = event(
        "EnabledEvent", "The level `enabled` changed.", on: .enabled,
        [ofAction, .always("value", .named(.enabled), "Whether an input is accepted, and why not.")])

    static let executionEvent = event(
        "ExecutionEvent", "An execution changed its state.", on: .executions,
        [ofAction, ofExecution, .always("value", .named(.execution), "The execution's record.")])

    private static let ofReactor = Field.always("reactor", .string, "The reactor's name.")

    static let stateEvent = event(
        "StateEvent", "A reactor has a new state, sent as a whole.", on: .state,
        [ofReactor, .always("value", .named(.reactorLevels), "The state and its revision.")])

    static let patchEvent = event(
        "PatchEvent", "A reactor has a new state, sent as its difference from the one sent before.", on: .state,
        [
            ofReactor,
            .always("patch", .array(of: .any), "An RFC 6902 patch; it applies to the state sent before."),
            .always("revision", .count, "The revision that it leads to."),
        ])

    static let firingEvent = event(
        "FiringEvent",
        "An element of a stream has led to something, or to nothing, at an `on`; once more, with the same number and "
            + "`end`, when the execution has ended.", on: .firings,
        [.always("stream", .string, "The stream's name."), .always("value", .named(.firing), "The firing.")])

    static let lag = NamedType(
        "Lag", "What a reader has missed.",
        fields: [
            .always(
                "dropped", .orNull(.integer(minimum: 1, maximum: nil)),
                "The number of events; null if nobody knows it: after a restart, or if the reader began among them."),
            .always("first", .named(.cursor), "The cursor of the first. Of elements without one, this event's."),
            .always("last", .named(.cursor), "The cursor of the last. Of elements without one, this event's."),
            .maybe("step", .string, "The step of the stream before which they were dropped; `0` for the source."),
        ])

    static let lagEvent = event(
        "LagEvent",
        "Events are missing here, or may be: the client read too slowly, or they are no longer kept. With `stream`, "
            + "elements were dropped within the stream, and all clients miss them.",
        on: .lag,
        [
            .maybe("stream", .string, "The stream that dropped elements; absent for a loss of this subscription."),
            .always("value", .named(.lag), "How many, and which."),
        ])

    static let end = NamedType(
        "End", "Why a subscription ended.",
        fields: [.always("reason", .word(EndReason.allCases.map(\.rawValue)), "The reason; see the table of reasons.")])

    static let endEvent = event(
        "EndEvent", "The last event of a subscription.", on: .end, [.always("value", .named(.end), "Why it ended.")])

    static let event = NamedType(
        "Event", "The `params` of an `event` notification; `channel` distinguishes the cases.",
        .union(events.map { .named($0) }))

    static let events: [NamedType] = [
        elementEvent, errorEvent, executingEvent, enabledEvent, executionEvent, stateEvent, patchEvent, firingEvent,
        lagEvent, endEvent,
    ]
}

extension NamedType {
    static let start = NamedType(
        "Start", "Where the events of a subscription begin.",
        .union([.named(.startWord), .named(.startCursor), .named(.startTime), .named(.startExecution)]))

    static let startWord = NamedType(
        "StartWord",
        "`now`: with what happens next; `last`: with the newest event of each channel that is still "
            + "kept; `start`: with the oldest event that is kept; `execution`: with the "
            + "first event of what is in flight, or of the executions that are subscribed to.",
        .union([.word(["now", "last", "start", "execution"])]))

    static let startCursor = NamedType(
        "StartCursor", "After a cursor, with no gap and no duplicate.",
        fields: [.always("cursor", .named(.cursor), "The cursor of the last event that the client has processed.")])

    static let startTime = NamedType(
        "StartTime", "With the first event since a time, or with the oldest that is kept.",
        fields: [.always("time", .named(.time), "The time.")])

    static let startExecution = NamedType(
        "StartExecution", "With the start of an execution.",
        fields: [.always("execution", .named(.executionID), "Its id; it is of an action that is subscribed to.")])
}
