internal import RxJSON

extension MethodDescription {
    static let actionList = MethodDescription(
        method: .actionList,
        summary: "The actions that the client has any right on, with their levels.",
        parameters: [],
        result: ("actions", Schema.object), errors: [])

    static let actionDescribe = MethodDescription(
        method: .actionDescribe,
        summary: "One action.",
        parameters: [.init(name: "action", required: true, schema: Schema.string, summary: "Its name.")],
        result: ("action", Schema.object), errors: [.notFound, .forbidden])

    static let actionExecute = MethodDescription(
        method: .actionExecute,
        summary: "Executes an action; answers at its end, or at once with `stream`.",
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
        ])

    static let actionCheck = MethodDescription(
        method: .actionCheck,
        summary: "What action.execute would answer now, with no side effect.",
        parameters: [
            .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
            .init(name: "input", required: false, schema: Schema.any, summary: "Its input; null if absent."),
        ],
        result: ("outlook", Schema.object), errors: [.notEnabled, .queueFull, .notFound, .forbidden, .shuttingDown])

    static let actionEnable = MethodDescription(
        method: .actionEnable,
        summary: "Takes back action.disable.",
        parameters: [
            .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
            .init(name: "reason", required: false, schema: Schema.string, summary: "Why, for people."),
        ],
        result: ("enabled", Schema.object), errors: [.notFound, .forbidden])

    static let actionDisable = MethodDescription(
        method: .actionDisable,
        summary: "Takes no input and starts nothing that waits, until action.enable.",
        parameters: [
            .init(name: "action", required: true, schema: Schema.string, summary: "Its name."),
            .init(name: "reason", required: false, schema: Schema.string, summary: "Why, told with each refusal."),
        ],
        result: ("enabled", Schema.object), errors: [.notFound, .forbidden])
}
