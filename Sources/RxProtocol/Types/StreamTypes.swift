// Streams: their sources, their steps, and their firings.

extension NamedType {
    static let firing = NamedType(
        "Firing", "The outcome of one element at an `on`.",
        fields: [
            .always("number", .count, "From 1, for the `on`."),
            .always("time", .named(.time), "When."),
            .always("target", .string, "The action or reactor."),
            .maybe("input", .any, "The input, without what its schema marks as secret; absent if it is long."),
            .maybe("scheduled", .string, "The slot, in UTC, for an element of a schedule."),
            .always(
                "outcome", .word(["started", "queued", "joined", "reduced", "refused", "failed"]),
                "What became of the element."),
            .maybe("execution", .named(.executionID), "The execution that it started, or that it joined."),
            .maybe("revision", .count, "The revision of the reactor that it led to."),
            .maybe("error", .string, "The name of the error, if it was refused."),
            .maybe("message", .string, "Why it was refused or failed."),
            .maybe("end", .string, "How the execution ended, once it has: `completed`, or the name of its error."),
        ])

    static let streamStep = NamedType(
        "StreamStep", "A step of a stream, with its figures since the daemon started.",
        fields: [
            .always("step", .string, "Its place: `2.1` is the first step within the second."),
            .always("operator", .string, "The operator."),
            .always("taken", .count, "The elements that it took."),
            .always("emitted", .count, "The elements that it emitted; of `retry` and `catch`, those of their step."),
            .always("waiting", .count, "The elements that it holds back."),
            .always("failed", .count, "How often it failed."),
        ])

    static let stream = NamedType(
        "Stream", "A stream: its source, what it does, and how it is.",
        fields: streamFields + [
            rightsField,
            .maybe("graph", .named(.streamGraph), "What it consists of; absent without the parameter `graph`."),
        ])

    static let streamNow = NamedType(
        "StreamNow", "A stream in a snapshot.",
        fields: streamFields + [
            .maybe(
                "values", .array(of: .any),
                "The current values of a level: one, or one for each unit; absent for other streams.")
        ])

    static let streamDetails = NamedType(
        "StreamDetails", "A stream with its steps and its last firings.",
        fields: streamFields + [
            rightsField,
            .always(
                "coalesced", .count,
                "The values of levels that a newer one has replaced while the stream or an `on` was busy."),
            .always("steps", .array(of: .named(.streamStep)), "The steps in order, each followed by those within it."),
            .always("firings", .array(of: .named(.firing)), "The last firings of each `on`, oldest first."),
            .always(
                "counts", .map(key: "The outcome.", of: .count), "The firings since the daemon started."),
            .maybe(
                "due", .named(.time), "When something is due in the steps, such as the end of a `debounce`."),
            .always("upcoming", .array(of: .named(.time)), "The next times of a schedule, at most 5."),
        ])

    private static var streamFields: [Field] {
        [
            .always("stream", .string, "The name."),
            .always("description", .orNull(.string), "The description in the configuration; null if there is none."),
            .always("source", .string, "The source, in a few words."),
            .always("targets", .array(of: .string), "The actions and reactors that it gives elements to, or executes."),
            .always("state", .word(["running", "waiting", "ended", "disabled"]), "How the stream is."),
            .maybe("reason", .string, "Why it waits or is disabled."),
            .maybe("next", .named(.time), "The next time of a schedule."),
            .maybe("last", .named(.firing), "The last firing."),
            .always("taken", .count, "The elements of its sources since the daemon started."),
            .always("emitted", .count, "The elements that it emitted."),
            .always("failures", .count, "The failures of its programs and steps."),
            .always("lost", .count, "The elements that had to be dropped."),
            .always("persist", .boolean, "Whether the state of its steps survives a restart."),
        ]
    }

    private static let rightsField = Field.always(
        "rights", .array(of: .named(.right)), "What this client may do with the stream.")

    static let streams = NamedType(
        "Streams", "Streams, sorted by name.",
        fields: [
            .always("streams", .array(of: .named(.stream)), "The streams that the client has any right on."),
            .maybe(
                "actions", .array(of: .named(.graphAction)),
                "The actions that the client has any right on; absent without `graph`."),
            .maybe(
                "reactors", .array(of: .named(.graphReactor)),
                "The reactors that the client has any right on; absent without `graph`."),
        ])

    static let streamSwitched = NamedType(
        "StreamSwitched", "A stream after a switch.",
        fields: [
            .always("stream", .string, "The stream's name."),
            .always("state", .word(["running", "waiting", "ended", "disabled"]), "How the stream is."),
            .maybe("reason", .string, "Why it waits or is disabled."),
        ])

    static let sent = NamedType(
        "Sent", "The stream has the element.", fields: [.always("stream", .string, "The stream's name.")])
}
