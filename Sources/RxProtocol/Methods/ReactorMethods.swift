internal import RxJSON

extension MethodDescription {
    static let reactorList = MethodDescription(
        method: .reactorList,
        summary: "The reactors that the client has any right on.", parameters: [],
        result: ("reactors", Schema.object), errors: [])

    static let reactorDescribe = MethodDescription(
        method: .reactorDescribe,
        summary: "One reactor.",
        parameters: [.init(name: "reactor", required: true, schema: Schema.string, summary: "Its name.")],
        result: ("reactor", Schema.object), errors: [.notFound, .forbidden])

    static let reactorState = MethodDescription(
        method: .reactorState,
        summary: "A reactor's state and its revision.",
        parameters: [
            .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
            .init(
                name: "path", required: false, schema: Schema.string,
                summary: "A JSON Pointer to the part that is wanted."),
            .init(
                name: "revision", required: false, schema: ["type": "integer", "minimum": 0],
                summary: "As it was then, if the history has it; now if absent."),
        ],
        result: ("state", Schema.object), errors: [.notFound, .forbidden])

    static let reactorHistory = MethodDescription(
        method: .reactorHistory,
        summary: "What led to a reactor's newest revisions, oldest first.",
        parameters: [
            .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
            .init(
                name: "limit", required: false, schema: ["type": "integer", "minimum": 1, "maximum": 10_000],
                summary: "At most so many; 1000 if absent."),
            .init(
                name: "before", required: false, schema: ["type": "integer", "minimum": 0],
                summary: "Only revisions before this one."),
        ],
        result: ("history", Schema.object), errors: [.notFound, .forbidden])

    static let reactorDispatch = MethodDescription(
        method: .reactorDispatch,
        summary: "Gives a reactor an action; answers when its mutations are reduced, and kept as promised.",
        parameters: [
            .init(name: "reactor", required: true, schema: Schema.string, summary: "Its name."),
            .init(name: "action", required: true, schema: Schema.any, summary: "The action."),
        ],
        result: ("revision", Schema.object),
        errors: [.workFailed, .notFound, .forbidden, .limitReached, .shuttingDown])
}
