internal import RxJSON

extension MethodDescription {
    static let subscribe = MethodDescription(
        method: .subscribe,
        summary: "Opens a subscription; its snapshot is in the response.",
        parameters: [
            .init(
                name: "subscription", required: true, schema: Schema.string,
                summary: "The client's name for it, unique on the connection."),
            .init(
                name: "action", required: false, schema: Schema.names,
                summary: "One, several, or \"*\" for all there are and will be; or else"),
            .init(
                name: "reactor", required: false, schema: Schema.names,
                summary: "one reactor, several, or \"*\"; or else"),
            .init(
                name: "execution", required: false, schema: Schema.names,
                summary: "one execution or several, until they have ended."),
            .init(
                name: "channels", required: false, schema: Schema.strings,
                summary:
                    "Of actions elements, errors, executing, enabled (the default), executions; of reactors state, errors."
            ),
            .init(
                name: "patch", required: false, schema: Schema.boolean,
                summary: "Of reactors: how each state differs from the one before (RFC 6902), where that is less."),
            .init(
                name: "from", required: false, schema: Schema.start,
                summary:
                    "Where the events begin: now, with the last ones kept, after a cursor, or with an execution."
            ),
            .init(
                name: "buffer", required: false, schema: ["type": "integer", "minimum": 1],
                summary: "Events kept for a slow reader, at most the server's limit."),
            .init(
                name: "overflow", required: false, schema: ["enum": ["drop-oldest", "drop-newest", "end"]],
                summary: "What happens to more: dropped and counted, or the subscription ends."),
        ],
        result: ("snapshot", Schema.object),
        errors: [.cursorExpired, .forbidden, .notFound, .duplicateSubscription, .limitReached])

    static let unsubscribe = MethodDescription(
        method: .unsubscribe,
        summary: "Ends a subscription, and withdraws from an execution it came with.",
        parameters: [
            .init(name: "subscription", required: true, schema: Schema.string, summary: "Its name.")
        ],
        result: ("subscription", Schema.object), errors: [.notFound])
}
