extension MethodDescription {
    static let subscribe = MethodDescription(
        method: .subscribe,
        summary:
            "Opens a subscription to actions, reactors, streams, or executions. The response has the snapshot; "
            + "the events follow.",
        parameters: [
            .required(
                "subscription", .string,
                "The client's name for it: 1 to 128 bytes, unique on the connection while it is open."),
            .optional(
                "action", .names,
                "An action, several, or `*` for all that there are and will be. Exactly one of `action`, "
                    + "`reactor`, `stream`, and "
                    + "`execution` is required."),
            .optional("reactor", .names, "A reactor, several, or `*`."),
            .optional("stream", .names, "A stream, several, or `*`."),
            .optional(
                "step", .string,
                "For one stream: its events are the elements that leave this step, such as `2.1`, or the source (`0`), "
                    + "on the channel `elements`. Nothing is kept of them: `from` reaches back no further than the "
                    + "first subscription to the step."),
            .optional(
                "execution", .names, "An execution's id, or several; the subscription ends with the last of them."),
            .optional(
                "channels", .words(Channel.allCases.filter { $0 != .end }.map(\.rawValue)),
                "The channels. Actions have `elements`, `errors`, `executing`, `enabled` (the default), "
                    + "and `executions`; "
                    + "executions have `elements`, `errors` (the default), and `executions`; reactors have `state` and "
                    + "`errors` (the default); streams have `elements`, `errors`, "
                    + "`firings`, and `lag` (the default). Losses of the subscription, on `lag`, and `end` always "
                    + "arrive."
            ),
            .optional("from", .named(.start), "Where the events begin; `now` if absent."),
            .optional(
                "until", .word(["now"]),
                "With `now`, the subscription ends with the reason `caughtUp` once everything that is kept has come."),
            .optional(
                "buffer", .integer(minimum: 1, maximum: nil),
                "Events kept for a slow reader, at most `limits.buffer`, which is also the default."),
            .optional(
                "overflow", .word(["drop-oldest", "drop-newest", "end"]),
                "What happens to more: they are dropped and counted (`drop-oldest` is the default), or "
                    + "the subscription "
                    + "ends."),
            .optional(
                "patch", .boolean,
                "For reactors: send states as patches where that is less, and the state before is known to be read."),
        ],
        result: ("snapshot", .subscribed),
        errors: [.workFailed, .cursorExpired, .forbidden, .notFound, .duplicateSubscription, .limitReached])

    static let unsubscribe = MethodDescription(
        method: .unsubscribe,
        summary: "Ends a subscription. One that came with `action.execute` also withdraws that request.",
        parameters: [.required("subscription", .string, "The subscription's name.")],
        result: ("subscription", .unsubscribed), errors: [.notFound])
}
