extension MethodDescription {
    static let executionList = MethodDescription(
        method: .executionList,
        summary: "Lists executions, oldest first: in flight, ended lately, and from the history. If there are more "
            + "than an answer holds, it has the newest of them, or, with `order`, the oldest.",
        parameters: [
            .optional("action", .names, "Only executions of these actions."),
            .optional("state", .words(NamedType.states), "Only executions in these states."),
            .optional("since", .named(.time), "Only executions that were accepted at this time or later."),
            .optional("until", .named(.time), "Only executions that were accepted before this time."),
            .optional("by", .named(.requester), "Only executions that this user, reactor, or stream requested."),
            .optional(
                "grep", .string,
                "Only executions with this text, of 1 to 1024 bytes, in the input, in the message or the facts of the "
                    + "failure, or in what is kept of the output. The text is literal. Upper and lower case are the "
                    + "same, unless it has an upper-case letter."),
            .optional(
                "limit", .integer(minimum: 1, maximum: Limits.listed),
                "The number of records at most; \(Limits.listedByDefault) if absent."),
            .optional("before", .named(.executionID), "Only executions older than this one."),
            .optional("after", .named(.executionID), "Only executions newer than this one."),
            .optional(
                "order", .word(["newest", "oldest"]),
                "Which executions the first answer has: `newest` (the default), to go on with `before`, or `oldest`, "
                    + "to go on with `after`."),
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
