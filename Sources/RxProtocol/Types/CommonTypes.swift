// Types that many messages use.

extension NamedType {
    static let executionID = NamedType(
        "ExecutionID", "The id of an execution: a UUIDv7 in lower case. Later executions have greater ids.",
        .text(pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"))

    static let cursor = NamedType(
        "Cursor",
        "A place in the daemon's log of events, `EPOCH:NUMBER`. The number grows, across restarts too. The epoch "
            + "identifies the log: it is another one after events may have been lost in a power cut, or with a "
            + "damaged file, and at each start of a daemon without a state directory.",
        .text(pattern: "^[^:]+:[0-9]+$"))

    static let time = NamedType(
        "Time", "A point in time: RFC 3339, UTC, with milliseconds, such as `2026-11-21T01:02:03.123Z`.",
        .text(pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"))

    static let duration = NamedType(
        "Duration",
        "A duration: whole numbers, each with its unit `d`, `h`, `m`, `s`, or `ms`, the longest unit first, such as "
            + "`500ms` or `1h30m`.",
        .text(pattern: "^([0-9]+(d|h|m|s|ms))+$"))

    static let peer = NamedType(
        "Peer", "A client, as the kernel identified its process when it connected.",
        fields: [
            .always("uid", .count, "The user id."),
            .always("gid", .count, "The group id."),
            .always("pid", .count, "The process id."),
        ])

    static let streamOrigin = NamedType(
        "StreamOrigin", "A stream of the configuration.",
        fields: [
            .always("stream", .string, "Its name."),
            .maybe("scheduled", .string, "The slot, in UTC, if the source of the stream is a schedule."),
        ])

    static let rule = NamedType(
        "Rule", "A rule of a reactor, which executed an action.",
        fields: [
            .always("reactor", .string, "The reactor's name."),
            .always("rule", .count, "The index of the rule in the reactor's `mutate`, from 0."),
        ])

    static let userRequester = NamedType(
        "UserRequester", "All clients of one user.", fields: [.always("uid", .count, "The user id.")])

    static let reactorRequester = NamedType(
        "ReactorRequester", "All rules of one reactor.",
        fields: [.always("reactor", .string, "The reactor's name.")])

    static let streamRequester = NamedType(
        "StreamRequester", "A stream.", fields: [.always("stream", .string, "The stream's name.")])

    static let requester = NamedType(
        "Requester", "A requester to select executions by: the nearest of their causes.",
        .union([.named(.userRequester), .named(.reactorRequester), .named(.streamRequester)]))

    static let otherOrigin = NamedType(
        "OtherOrigin", "A requester of a kind that a later version adds: an object with members of its own.",
        fields: [], isOpen: true)

    static let origin = NamedType(
        "Origin",
        "Who or what requested something: a client, a rule of a reactor, a stream, or the daemon itself (null). Later "
            + "versions add kinds; a client shows those as they are.",
        .union([.named(.peer), .named(.rule), .named(.streamOrigin), .null, .named(.otherOrigin)]))

    static let right = NamedType(
        "Right", "What a client may do with an action or a reactor.",
        .union([.word(["read", "subscribe", "execute", "manage"])]))
}

extension ValueType {
    /// One name, or several.
    static let names = ValueType.either([.string, .array(of: .string)])

    /// One of these words, or several.
    static func words(_ words: [String]) -> ValueType { .either([.word(words), .array(of: .word(words))]) }
}
