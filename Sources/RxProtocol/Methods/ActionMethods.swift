extension MethodDescription {
    static let actionList = MethodDescription(
        method: .actionList, summary: "Lists the actions that the client has any right on, with their levels.",
        parameters: [
            .optional(
                "levels", .boolean,
                "Report only what changes: the levels and the next time. For views that are drawn again and again."),
            .optional(
                "ends", .names,
                "With `levels`: also report the last \(Limits.endsOfAction) ends of these actions, at most "
                    + "\(Limits.actionsWithEnds)."),
        ],
        result: ("actions", .either([.named(.actions), .named(.actionsNow)])))

    static let actionDescribe = MethodDescription(
        method: .actionDescribe, summary: "Describes one action.", parameters: [.action],
        result: ("action", .action), errors: [.notFound, .forbidden])

    static let actionExecute = MethodDescription(
        method: .actionExecute,
        summary:
            "Executes an action. Answers at the end with the elements, or, with `stream`, at once; then "
            + "the events follow. With `at`, it answers at once, too.",
        parameters: [
            .action, .input,
            .optional(
                "stream", .string,
                "The name of a new subscription: the execution's `elements` and `errors` arrive on it, its records on "
                    + "`executions` if the action has `retry`, then `end`."),
            .optional(
                "onDisconnect", .word(["detach", "cancel"]),
                "What the end of this connection means: `detach` (the default) lets the execution go on; `cancel` "
                    + "withdraws this request, and the last withdrawal cancels the execution."),
            .optional(
                "timeout", .named(.duration),
                "The longest that the work may take. The action's own limit still holds."),
            .optional(
                "key", .string,
                "Makes a retry safe: within its lifetime, the same key with the same input returns the "
                    + "same execution."),
            .optional(
                "at", .named(.time),
                "Starts the work at this time, exactly once, across restarts of the daemon, as soon as the action "
                    + "takes an input then. The answer comes at once. Excludes `stream` and `onDisconnect` "
                    + "`cancel`."),
            .optional(
                "after", .string,
                "Starts the work after the end of an execution, by its id, or of all that an action has in flight or "
                    + "queued now, by its name; as soon as the action takes an input then. With `at`, not before that "
                    + "either. If the action is durable, the wait goes on after a restart of the daemon."),
            .optional(
                "ifCompleted", .boolean,
                "With `after`: if one of them does not complete, the execution fails, with the cause `after`, and "
                    + "does not start."),
        ],
        result: ("execution", .either([.named(.executed), .named(.started), .named(.scheduled)])),
        errors: [
            .workFailed, .notEnabled, .queueFull, .timedOut, .cancelled, .notFound, .forbidden, .limitReached,
            .duplicateSubscription, .shuttingDown,
        ])

    static let actionCheck = MethodDescription(
        method: .actionCheck, summary: "Reports what `action.execute` would do with an input now, with no side effect.",
        parameters: [.action, .input],
        result: ("outlook", .outlook), errors: [.notEnabled, .queueFull, .notFound, .forbidden, .shuttingDown])

    static let actionEnable = MethodDescription(
        method: .actionEnable, summary: "Undoes `action.disable`.",
        parameters: [.action, .optional("reason", .string, "Why, for the log.")],
        result: ("enabled", .switched), errors: [.notFound, .forbidden])

    static let actionDisable = MethodDescription(
        method: .actionDisable,
        summary: "Refuses inputs, and starts none that waits, until `action.enable`; work in flight goes on.",
        parameters: [.action, .optional("reason", .string, "Why; every refusal repeats it. At most 1024 bytes.")],
        result: ("enabled", .switched), errors: [.notFound, .forbidden])

    static let actionCancel = MethodDescription(
        method: .actionCancel,
        summary:
            "Cancels the executions of an action that the client may cancel, the queued ones and those that wait for "
            + "their time included. Answers when they have ended.",
        parameters: [
            .action,
            .optional(
                "grace", .named(.duration), "The time between SIGTERM and SIGKILL, instead of the action's own."),
        ],
        result: ("cancelled", .cancelledExecutions), errors: [.notFound, .forbidden])

    static let actionForget = MethodDescription(
        method: .actionForget,
        summary:
            "Forgets keys of the client's user before their lifetime is over, so that they do not count for the limits "
            + "any more. A key whose execution has not ended is left as it is.",
        parameters: [
            .action,
            .required(
                "keys", .either([.string, .array(of: .string)]),
                "The keys: from now on, a request with one of them starts a new execution. At most 256."),
        ],
        result: ("forgotten", .forgottenKeys), errors: [.notFound, .forbidden])
}

extension MethodDescription.Parameter {
    fileprivate static let action = MethodDescription.Parameter.required("action", .string, "The action's name.")
    fileprivate static let input = MethodDescription.Parameter.optional("input", .any, "The input; null if absent.")
}
