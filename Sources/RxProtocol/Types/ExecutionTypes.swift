// Executions and the answers about them.

extension NamedType {
    static let states: [String] = [
        "queued", "executing", "completed", "failed", "cancelled", "timedOut", "interrupted",
    ]

    static let execution = NamedType(
        "Execution", "The record of one execution at one moment.",
        fields: [
            .always("execution", .named(.executionID), "The id."),
            .always("action", .string, "The action's name."),
            .always(
                "state", .word(states),
                "Where it is in its life. All states but `queued` and `executing` are final; "
                    + "`interrupted` means that the daemon ended before the work did."),
            .always("by", .named(.origin), "Who requested it: the nearest cause, which rights follow from."),
            .always(
                "causes", .array(of: .named(.origin)),
                "The chain of causes: `by` first, the origin last, at most 32."),
            .maybe(
                "causesOmitted", .count,
                "How many causes are left out before the last one, so that it is always there; absent if none is."),
            .maybe(
                "input", .any,
                "The input; values that the schema marks `writeOnly` read `[redacted]`. Absent once the execution has "
                    + "ended, if it was too large to keep."),
            .always("queuedAt", .named(.time), "When the request was accepted."),
            .maybe(
                "at", .named(.time),
                "The time for which the request has asked; the work starts then or later. Absent without one."),
            .always("startedAt", .orNull(.named(.time)), "When the work started; null if it has not."),
            .always("endedAt", .orNull(.named(.time)), "When it ended; null if it has not."),
            .maybe(
                "attempt", .integer(minimum: 1, maximum: nil),
                "The number of the current or the last attempt; absent unless the action has `retry` and the work has "
                    + "started."),
            .maybe("attempts", .integer(minimum: 1, maximum: nil), "The most attempts; absent like `attempt`."),
            .maybe("retry", .named(.nextAttempt), "The failure of `attempt`, while the work waits for the next one."),
            .always("elements", .count, "The number of elements so far."),
            .always("error", .orNull(.named(.error)), "Why it did not complete; null if it did, or has not ended."),
            .maybe(
                "waitsFor", .array(of: .named(.awaited)),
                "In the answer to `execution.get`, while it waits because of `after`: the executions whose ends it "
                    + "waits for, those that the client may read, at most 100."),
            .maybe(
                "ifCompleted", .boolean,
                "With `waitsFor`: whether it starts only if all of them complete; absent if "
                    + "it does not matter."),
        ])

    static let awaited = NamedType(
        "Awaited", "An execution whose end another one waits for.",
        fields: [
            .always("execution", .named(.executionID), "The id."),
            .always("action", .string, "The action's name."),
            .always("state", .word(states), "Where it is in its life."),
        ])

    static let nextAttempt = NamedType(
        "NextAttempt", "The failure of an attempt that another attempt follows.",
        fields: [
            .always("error", .named(.error), "Why the attempt failed."),
            .always("delay", .named(.duration), "The time from the failure to the next attempt."),
            .always("at", .named(.time), "When the next attempt starts."),
        ])

    static let executed = NamedType(
        "Executed", "The answer to `action.execute` at the end of the work.",
        fields: [
            .always("execution", .named(.executionID), "The execution's id."),
            .always("elements", .array(of: .any), "The elements, at most `limits.elementsPerReply`."),
            .always("truncated", .boolean, "Whether there were more elements than the answer holds."),
        ])

    static let started = NamedType(
        "Started", "The answer to `action.execute` with `stream`; the events follow.",
        fields: [
            .always("execution", .named(.executionID), "The execution's id."),
            .always(
                "disposition", .word(["started", "queued", "joined"]),
                "What became of the input: it started an execution, waits its turn, or joined an "
                    + "execution in flight or an "
                    + "earlier one with the same key."),
            .always("subscription", .string, "The stream's name."),
        ])

    static let scheduled = NamedType(
        "Scheduled", "The answer to `action.execute` with `at`: the request is on the disk, and starts at its time.",
        fields: [
            .always("execution", .named(.executionID), "The execution's id; `execution.cancel` withdraws it."),
            .always(
                "disposition", .word(["scheduled", "joined"]),
                "Whether it waits for its time, or is an earlier execution with the same key."),
            .always("at", .orNull(.named(.time)), "Its time; null for an earlier execution that had none."),
        ])

    static let cancelledExecutions = NamedType(
        "CancelledExecutions", "The executions of an action that a request has canceled.",
        fields: [
            .always("action", .string, "The action's name."),
            .always("executions", .array(of: .named(.executionID)), "Their ids, oldest first."),
            .maybe("truncated", .boolean, "True if there are others; call again to cancel them. Absent otherwise."),
        ])

    static let forgottenKeys = NamedType(
        "ForgottenKeys", "The keys of an action that a request has forgotten.",
        fields: [
            .always("action", .string, "The action's name."),
            .always("forgotten", .count, "How many of the keys were known, and are not any more."),
        ])

    static let outlook = NamedType(
        "Outlook", "What `action.execute` would do now.",
        fields: [
            .always("action", .string, "The action's name."),
            .always("disposition", .word(["started", "queued", "joined"]), "What would become of the input."),
            .always(
                "execution", .orNull(.named(.executionID)), "The execution that would be joined; null for the others."),
        ])

    static let executions = NamedType(
        "Executions", "A page of execution records.",
        fields: [
            .always("executions", .array(of: .named(.execution)), "The records, oldest first."),
            .always(
                "truncated", .boolean,
                "Whether there may be more. An answer may have fewer records than `limit`, and even none, because it "
                    + "is bounded in bytes and in the part of the history that it goes through."),
            .maybe(
                "before", .named(.executionID),
                "Where to go on: pass it as `before`. Absent unless `truncated`, and with `order` `oldest`."),
            .maybe(
                "after", .named(.executionID),
                "Where to go on with `order` `oldest`: pass it as `after`. Absent unless `truncated`."),
        ])

    static let output = NamedType(
        "Output", "What is kept of the output of one execution.",
        fields: [
            .always("execution", .named(.executionID), "The execution's id."),
            .always("action", .string, "Its action."),
            .always(
                "state", .word(states),
                "Its state; the output is complete once that is final. Of an execution that was `interrupted`, what "
                    + "came last may be missing without being counted."),
            .always(
                "kept", .boolean,
                "Whether output is kept of the execution: not for actions without a history, with `output = \"0\"`, "
                    + "and of what is beyond the retention."),
            .always(
                "output", .array(of: .named(.outputPart)),
                "What the client does not have yet, in the order of arrival."),
            .always("elements", .count, "The number of all elements so far: pass it as `elements` to get later ones."),
            .always(
                "stderr", .count, "The bytes of standard error so far: pass them as `stderr` to get later ones."),
        ])

    static let outputPart = NamedType(
        "OutputPart", "A part of an execution's output. It has one of these fields.",
        fields: [
            .maybe("elements", .array(of: .any), "Elements, as they were yielded."),
            .maybe("stderr", .string, "Text that the work wrote to its standard error."),
            .maybe("stderrBase64", .string, "The same in Base64, if it is not UTF-8."),
            .maybe("missing", .named(.missingOutput), "What came in this place and is not kept."),
        ])

    static let missingOutput = NamedType(
        "MissingOutput", "The part of one stream that is not kept.",
        fields: [
            .always("stream", .word(["elements", "stderr"]), "The stream."),
            .maybe("elements", .count, "The number of elements; absent for stderr."),
            .maybe(
                "bytes", .count,
                "The bytes, with a newline after each element; absent if the client has some of the missing elements."),
        ])

    static let idle = NamedType(
        "Idle", "An action has nothing in flight or queued.", fields: [.always("action", .string, "Its name.")])

    static let switched = NamedType(
        "Switched", "The level `enabled` after `action.enable` or `action.disable`.",
        fields: [.always("action", .string, "The action's name.")] + enabledFields)

    static let actions = NamedType(
        "Actions", "Actions, sorted by name.",
        fields: [.always("actions", .array(of: .named(.action)), "The actions that the client has any right on.")])
}
