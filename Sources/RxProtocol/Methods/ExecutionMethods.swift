extension MethodDescription {
    static let executionList = MethodDescription(
        method: .executionList,
        summary: "Lists the newest executions, oldest first: in flight, ended lately, and from the history.",
        parameters: [
            .optional("action", .names, "Only executions of these actions."),
            .optional("state", .words(NamedType.states), "Only executions in these states."),
            .optional(
                "limit", .integer(minimum: 1, maximum: Limits.listed),
                "The number of records at most; \(Limits.listedByDefault) if absent."),
            .optional("before", .named(.executionID), "Only executions older than this one."),
        ],
        result: ("executions", .executions), errors: [.notFound, .forbidden])

    static let executionGet = MethodDescription(
        method: .executionGet, summary: "Reports one execution.",
        parameters: [.required("execution", .string, "Its id.")],
        result: ("execution", .execution), errors: [.notFound, .forbidden])

    static let executionOutput = MethodDescription(
        method: .executionOutput,
        summary:
            "Reports what is kept of the output of an execution, in the order of arrival, and how much is missing.",
        parameters: [
            .required("execution", .string, "Its id."),
            .optional("elements", .count, "The number of elements to leave out, because the client has them."),
            .optional("stderr", .count, "The bytes of standard error to leave out, because the client has them."),
            .optional(
                "wait", .named(.duration),
                "Wait for more while the execution is in flight and the client has everything, so long at most; "
                    + "without it, the answer comes at once."),
        ],
        result: ("output", .output), errors: [.notFound, .forbidden, .timedOut])

    static let executionCancel = MethodDescription(
        method: .executionCancel,
        summary: "Cancels an execution for all of its requesters. Answers at its end.",
        parameters: [
            .required("execution", .string, "Its id."),
            .optional(
                "grace", .named(.duration), "The time between SIGTERM and SIGKILL, instead of the action's own."),
        ],
        result: ("execution", .execution), errors: [.notFound, .forbidden])

    static let executionWait = MethodDescription(
        method: .executionWait,
        summary: "Answers at an execution's end with its record, or when an action has nothing in flight or queued.",
        parameters: [
            .optional("execution", .string, "The execution's id. Either this or `action` is required."),
            .optional("action", .string, "The action's name."),
            .optional(
                "timeout", .named(.duration), "The longest to wait. What is waited for goes on after it."),
        ],
        result: ("execution", .either([.named(.execution), .named(.idle)])),
        errors: [.notFound, .forbidden, .timedOut])
}
