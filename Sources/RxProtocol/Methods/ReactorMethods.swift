extension MethodDescription {
    static let reactorList = MethodDescription(
        method: .reactorList, summary: "Lists the reactors that the client has any right on.",
        result: ("reactors", .reactors))

    static let reactorDescribe = MethodDescription(
        method: .reactorDescribe, summary: "Describes one reactor, with the schema of its actions.",
        parameters: [.reactor], result: ("reactor", .reactor), errors: [.notFound, .forbidden])

    static let reactorState = MethodDescription(
        method: .reactorState, summary: "Reports a reactor's state or a part of it, now or at an earlier revision.",
        parameters: [
            .reactor,
            .optional("path", .string, "A JSON Pointer to the part that is wanted; the whole state if absent."),
            .optional("revision", .count, "The state as of this revision, if the history has it; now if absent."),
        ],
        result: ("state", .reactorState), errors: [.workFailed, .notFound, .forbidden])

    static let reactorHistory = MethodDescription(
        method: .reactorHistory, summary: "Reports the steps that led to a reactor's newest revisions, oldest first.",
        parameters: [
            .reactor,
            .optional(
                "limit", .integer(minimum: 1, maximum: Limits.listed),
                "The number of steps at most; \(Limits.listedByDefault) if absent."),
            .optional("before", .count, "Only steps before this revision."),
        ],
        result: ("history", .history), errors: [.notFound, .forbidden])

    static let reactorDispatch = MethodDescription(
        method: .reactorDispatch,
        summary:
            "Gives a reactor an action. Answers once its mutations are reduced, and kept as the reactor's durability "
            + "promises. `notEnabled` with the cause `rule`: no rule takes the action, or one refuses it. "
            + "`internalError` with the cause `store`: it cannot be kept, as on a full disk, and is not in the state.",
        parameters: [.reactor, .required("action", .any, "The action.")],
        result: ("revision", .dispatched),
        errors: [.workFailed, .notEnabled, .notFound, .forbidden, .limitReached, .shuttingDown])
}

extension MethodDescription.Parameter {
    fileprivate static let reactor = MethodDescription.Parameter.required("reactor", .string, "The reactor's name.")
}
