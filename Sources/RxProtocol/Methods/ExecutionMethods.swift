internal import RxJSON

extension MethodDescription {
    static let executionList = MethodDescription(
        method: .executionList,
        summary: "The newest executions, oldest first, in flight and in the history.",
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
        result: ("executions", Schema.object), errors: [.notFound, .forbidden])

    static let executionGet = MethodDescription(
        method: .executionGet,
        summary: "One execution.",
        parameters: [.init(name: "execution", required: true, schema: Schema.string, summary: "Its id.")],
        result: ("execution", Schema.object), errors: [.notFound, .forbidden])

    static let executionCancel = MethodDescription(
        method: .executionCancel,
        summary: "Cancels an execution, for all who asked for it; answers at its end.",
        parameters: [
            .init(name: "execution", required: true, schema: Schema.string, summary: "Its id."),
            .init(
                name: "grace", required: false, schema: Schema.duration,
                summary: "Time between SIGTERM and SIGKILL, instead of the action's own."),
        ],
        result: ("execution", Schema.object), errors: [.notFound, .forbidden])

    static let executionWait = MethodDescription(
        method: .executionWait,
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
        result: ("execution", Schema.object), errors: [.notFound, .forbidden, .timedOut])
}
