internal import RxJSON

/// Schemas used more than once.
private enum Schema {
    static let string: JSONValue = ["type": "string"]
    static let boolean: JSONValue = ["type": "boolean"]
    static let object: JSONValue = ["type": "object"]
    static let any: JSONValue = [:]
    static let strings: JSONValue = ["type": "array", "items": ["type": "string"]]
    static let names: JSONValue = ["oneOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]]
    static let start: JSONValue = [
        "oneOf": [
            ["enum": ["now", "last", "execution"]],
            ["type": "object", "required": ["cursor"], "properties": ["cursor": ["type": "string"]]],
            ["type": "object", "required": ["execution"], "properties": ["execution": ["type": "string"]]],
        ]
    ]
    static let duration: JSONValue = ["type": "string", "pattern": "^([0-9]+(d|h|m|s|ms))+$"]
}

extension MethodDescription {
    /// Every method of rx/1 that this release implements, in the order of the documentation.
    public static let all: [MethodDescription] = [
        .init(
            name: "rpc.discover", summary: "This document.", parameters: [],
            result: ("document", Schema.object), errors: []),
        .init(
            name: "server.hello", summary: "Who is who, and what both can do. Optional.",
            parameters: [
                .init(name: "client", required: false, schema: Schema.string, summary: "The client's name, for logs."),
                .init(
                    name: "protocol", required: false, schema: Schema.object,
                    summary: "The versions the client speaks, {min, max}."),
                .init(
                    name: "require", required: false, schema: Schema.strings,
                    summary: "Features without which the client cannot go on."),
                .init(name: "prefer", required: false, schema: Schema.strings, summary: "Features it would use."),
            ],
            result: ("hello", Schema.object), errors: [.featureMissing]),
        .init(
            name: "server.status", summary: "Figures of the daemon.", parameters: [],
            result: ("status", Schema.object), errors: []),
        .init(
            name: "server.reload", summary: "Reads the configuration again.",
            parameters: [
                .init(
                    name: "dryRun", required: false, schema: Schema.boolean, summary: "Tell what would change, only.")
            ],
            result: ("change", Schema.object), errors: [.forbidden]),
        .init(
            name: "action.list", summary: "The actions that the client has any right on, with their levels.",
            parameters: [],
            result: ("actions", Schema.object), errors: []),
        .init(
            name: "action.describe", summary: "One action.",
            parameters: [.init(name: "action", required: true, schema: Schema.string, summary: "Its name.")],
            result: ("action", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "action.execute", summary: "Executes an action; answers at its end, or at once with `stream`.",
            parameters: [
                .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
                .init(name: "input", required: false, schema: Schema.any, summary: "Its input; null if absent."),
                .init(
                    name: "stream", required: false, schema: Schema.string,
                    summary: "A subscription's name: the execution's events follow on it."),
                .init(
                    name: "onDisconnect", required: false, schema: ["enum": ["detach", "cancel"]],
                    summary: "What the end of this connection means for the execution."),
                .init(
                    name: "timeout", required: false, schema: Schema.duration,
                    summary: "Longest the work may take; the action's own limit stays."),
                .init(
                    name: "key", required: false, schema: Schema.string,
                    summary: "The same key within its lifetime returns the same execution."),
            ],
            result: ("execution", Schema.object),
            errors: [
                .workFailed, .notEnabled, .queueFull, .timedOut, .cancelled, .notFound, .forbidden, .limitReached,
                .duplicateSubscription, .shuttingDown,
            ]),
        .init(
            name: "action.check", summary: "What action.execute would answer now, with no side effect.",
            parameters: [
                .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
                .init(name: "input", required: false, schema: Schema.any, summary: "Its input; null if absent."),
            ],
            result: ("outlook", Schema.object), errors: [.notEnabled, .queueFull, .notFound, .forbidden, .shuttingDown]),
        .init(
            name: "action.enable", summary: "Takes back action.disable.",
            parameters: [
                .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
                .init(name: "reason", required: false, schema: Schema.string, summary: "Why, for people."),
            ],
            result: ("enabled", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "action.disable", summary: "Takes no input and starts nothing that waits, until action.enable.",
            parameters: [
                .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
                .init(name: "reason", required: false, schema: Schema.string, summary: "Why, told with each refusal."),
            ],
            result: ("enabled", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "execution.list", summary: "The newest executions, oldest first, in flight and in the history.",
            parameters: [
                .init(name: "action", required: false, schema: Schema.names, summary: "Only of these actions."),
                .init(name: "state", required: false, schema: Schema.names, summary: "Only in these states."),
                .init(
                    name: "limit", required: false, schema: ["type": "integer", "minimum": 1, "maximum": 10_000],
                    summary: "At most so many; 1000 if absent."),
                .init(
                    name: "before", required: false, schema: Schema.string,
                    summary: "Only older ones than this execution."),
            ],
            result: ("executions", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "execution.get", summary: "One execution.",
            parameters: [.init(name: "execution", required: true, schema: Schema.string, summary: "Its id.")],
            result: ("execution", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "execution.cancel", summary: "Cancels an execution, for all who asked for it; answers at its end.",
            parameters: [
                .init(name: "execution", required: true, schema: Schema.string, summary: "Its id."),
                .init(
                    name: "grace", required: false, schema: Schema.duration,
                    summary: "Time between SIGTERM and SIGKILL, instead of the action's own."),
            ],
            result: ("execution", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "execution.wait",
            summary: "Answers at an execution's end with its record, or when an action is idle.",
            parameters: [
                .init(name: "execution", required: false, schema: Schema.string, summary: "Its id; or else"),
                .init(
                    name: "action", required: false, schema: Schema.string,
                    summary: "the action of which nothing is in flight or waits."),
                .init(
                    name: "timeout", required: false, schema: Schema.duration,
                    summary: "Longest to wait; what is waited for goes on."),
            ],
            result: ("execution", Schema.object), errors: [.notFound, .forbidden, .timedOut]),
        .init(
            name: "reactor.list", summary: "The reactors that the client has any right on.", parameters: [],
            result: ("reactors", Schema.object), errors: []),
        .init(
            name: "reactor.describe", summary: "One reactor.",
            parameters: [.init(name: "reactor", required: true, schema: Schema.string, summary: "Its name.")],
            result: ("reactor", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "reactor.state", summary: "A reactor's state and its revision.",
            parameters: [
                .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
                .init(
                    name: "path", required: false, schema: Schema.string,
                    summary: "A JSON Pointer to the part that is wanted."),
                .init(
                    name: "revision", required: false, schema: ["type": "integer", "minimum": 0],
                    summary: "As it was then, if the history has it; now if absent."),
            ],
            result: ("state", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "reactor.history", summary: "What led to a reactor's newest revisions, oldest first.",
            parameters: [
                .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
                .init(
                    name: "limit", required: false, schema: ["type": "integer", "minimum": 1, "maximum": 10_000],
                    summary: "At most so many; 1000 if absent."),
                .init(
                    name: "before", required: false, schema: ["type": "integer", "minimum": 0],
                    summary: "Only revisions before this one."),
            ],
            result: ("history", Schema.object), errors: [.notFound, .forbidden]),
        .init(
            name: "reactor.dispatch",
            summary: "Gives a reactor an action; answers when its mutations are reduced, and kept as promised.",
            parameters: [
                .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
                .init(name: "action", required: true, schema: Schema.any, summary: "The action."),
            ],
            result: ("revision", Schema.object),
            errors: [.workFailed, .notFound, .forbidden, .limitReached, .shuttingDown]),
        .init(
            name: "subscribe", summary: "Opens a subscription; its snapshot is in the response.",
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
            errors: [.cursorExpired, .forbidden, .notFound, .duplicateSubscription, .limitReached]),
        .init(
            name: "unsubscribe", summary: "Ends a subscription, and withdraws from an execution it came with.",
            parameters: [
                .init(name: "subscription", required: true, schema: Schema.string, summary: "Its name.")
            ],
            result: ("subscription", Schema.object), errors: [.notFound]),
    ]
}
