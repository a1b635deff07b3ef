// Errors: an object with `code`, `message`, and `data`, whose shape follows from the code.

extension ErrorCode {
    /// The fields of such an error's `data` besides its name.
    public var facts: [NamedType.Field] {
        switch self {
        case .parseError:
            [
                .maybe(
                    "fault", .word(["empty", "encoding", "depth", "size", "number", "syntax"]), "The kind of fault."),
                .maybe("offset", .count, "Where in the line, in bytes, if that is known."),
            ]
        case .invalidRequest:
            [.maybe("errors", .array(of: .named(.fault)), "The faults; paths lead into the request.")]
        case .methodNotFound:
            [.always("method", .string, "The name that was called.")]
        case .invalidParams:
            [
                .maybe("errors", .array(of: .named(.fault)), "The faults; paths lead into `params`."),
                .maybe(
                    "faults", .array(of: .string),
                    "Answering `server.reload` only: the faults of the configuration, a line each."),
            ]
        case .internalError:
            [
                .maybe("cause", .word(["store"]), "`store` if something could not be written or read."),
                .maybe("execution", .named(.executionID), "The execution that could not be kept."),
            ]
        case .workFailed:
            [
                .maybe("execution", .named(.executionID), "The execution. Only in responses."),
                .maybe("cause", .string, "`interrupted`: the daemon ended before the work did."),
                .maybe(
                    "after", .named(.executionID),
                    "With the cause `after`: the execution that did not complete, so that this one did not start."),
                .maybe("exit", .integer, "The exit status of the process."),
                .maybe("signal", .integer, "The signal that ended the process."),
                .maybe("signalName", .string, "Its name, such as `SIGKILL`."),
                .maybe("stderr", .string, "The end of what the process wrote to its standard error."),
                .maybe("errno", .string, "Why the process could not be started, such as `ENOENT`."),
                .maybe("path", .string, "The program that could not be started."),
                .maybe("script", .string, "The script whose interpreter could not be started."),
                .maybe("line", .integer, "The line that is at fault: of the output, or of `file`."),
                .maybe("limit", .integer, "The limit in bytes that the output exceeds."),
                .maybe("reason", .string, "Why that line is not JSON."),
                .maybe("pid", .integer, "A process that is still there after SIGKILL."),
                .maybe("reactor", .string, "The reactor that failed."),
                .maybe(
                    "stage",
                    .word(["transform", "mutate", "reduce", "merge", "restore", "size", "limit", "stopped"]),
                    "Where the reactor failed."),
                .maybe("rule", .count, "The index of the rule that failed in the reactor's `mutate`, from 0."),
                .maybe("merge", .count, "The index of the stream that failed in the reactor's `merge`, from 0."),
                .maybe(
                    "program", .string,
                    "The key of the program that failed in a reactor, such as `mutation` or `reduce`; of a stream, the "
                        + "program itself."),
                .maybe("stream", .string, "The stream that failed."),
                .maybe("step", .string, "The place of the stream's step that failed, such as `2.1`."),
                .maybe("operator", .string, "The operator of that step; `input` for the program of an `on`."),
                .maybe("element", .any, "The element of the stream that is dropped."),
                .maybe("file", .string, "The configuration file with that program."),
                .maybe(
                    "input", .any,
                    "What the reactor failed on, if it is known and not too large. Only for clients that may subscribe "
                        + "to the reactor, like a message with values."),
            ]
        case .notEnabled:
            [
                .maybe("action", .string, "The name of the action that is not enabled."),
                .maybe("stream", .string, "The name of the stream that takes nothing."),
                .maybe("reactor", .string, "The name of the reactor whose rules refuse the action."),
                .maybe("cause", .word(["rule"]), "Why a reactor refuses an action."),
                .maybe("rule", .count, "The index of the rule that refuses, from 0; absent if no rule holds."),
                .maybe("program", .string, "The key of the program with the reason: `refuse`."),
                .maybe("file", .string, "The configuration file with that program."),
                .maybe("line", .count, "The line of that program."),
                .maybe(
                    "state", .word(["disabled", "ended"]),
                    "The stream's state. One that has ended, as after `take`, cannot be enabled."),
                .always("reason", .orNull(.named(.reason)), "Why an action is disabled; null for others."),
            ]
        case .queueFull:
            [
                .always("action", .string, "The action's name."),
                .always("limit", .count, "The limit of its queue."),
            ]
        case .timedOut:
            [
                .always("timeout", .named(.duration), "The limit that was exceeded."),
                .maybe("execution", .named(.executionID), "The execution. Only in responses."),
            ]
        case .cancelled:
            [
                .always("by", .named(.origin), "Who canceled it; null if no client did."),
                .maybe(
                    "cause", .word(["superseded", "stopping"]),
                    "`superseded`: a later input took its place; `stopping`: the daemon is stopping."),
                .maybe("supersededBy", .named(.executionID), "The execution that took its place."),
                .maybe(
                    "startsAgain", .boolean, "True if the input is kept and starts when the daemon is back."),
                .maybe("execution", .named(.executionID), "The execution. Only in responses."),
            ]
        case .notFound:
            [
                .maybe("action", .string, "The name of an action that does not exist."),
                .maybe("reactor", .string, "The name of a reactor that does not exist."),
                .maybe("stream", .string, "The name of a stream that does not exist."),
                .maybe(
                    "streams", .array(of: .string),
                    "If that is the name of an action or a reactor: the streams that give elements to it."),
                .maybe("execution", .string, "The id of an execution that is not known."),
                .maybe("subscription", .string, "The name of a subscription that is not open."),
                .maybe("path", .string, "A path that the state does not have."),
                .maybe("revision", .string, "A revision that the history does not have."),
            ]
        case .forbidden:
            [
                .always(
                    "operation", .word(["read", "subscribe", "execute", "manage", "cancel"]),
                    "What the client may not do."),
                .always(
                    "right", .word(["read", "subscribe", "execute", "manage"]),
                    "The right that it lacks, as the configuration names it; `read` comes with any other."),
                .maybe("contact", .string, "Whom to ask for the right: `contact` in `[access]`."),
                .maybe("action", .string, "The action."),
                .maybe("reactor", .string, "The reactor."),
                .maybe("stream", .string, "The stream."),
                .maybe("execution", .named(.executionID), "The execution."),
                .always("uid", .count, "The client's user id."),
            ]
        case .limitReached:
            [
                .always("limit", .string, "The name of the limit."),
                .always("value", .count, "Its value."),
            ]
        case .duplicateSubscription:
            [.always("subscription", .string, "The name that is taken.")]
        case .featureMissing:
            [
                .maybe("missing", .array(of: .string), "The required features that the daemon does not have."),
                .maybe("protocol", .integer, "The version that the daemon speaks, if the client speaks no common one."),
            ]
        case .cursorExpired:
            [
                .maybe("cursor", .string, "The cursor in the request."),
                .always(
                    "oldest", .orNull(.named(.cursor)),
                    "The cursor to go on from; null if the log of the cursor is not known."),
            ]
        case .shuttingDown:
            []
        case .tooLarge:
            [
                .always("limit", .string, "The name of the limit."),
                .always("value", .count, "Its value in bytes."),
            ]
        }
    }

    /// The error object of this code.
    public var type: NamedType {
        let initial = name.prefix(1).uppercased()
        return NamedType(
            "\(initial)\(name.dropFirst())Error", "\(meaning.prefix(1).uppercased())\(meaning.dropFirst()).",
            fields: [
                .always("code", .integer(minimum: rawValue, maximum: rawValue), "Always \(rawValue)."),
                .always("message", .string, "A sentence for people; it may change."),
                .always("data", .named(dataType), "Facts for programs."),
            ])
    }

    /// The `data` of such an error.
    public var dataType: NamedType {
        let initial = name.prefix(1).uppercased()
        return NamedType(
            "\(initial)\(name.dropFirst())Data", "The `data` of the error `\(name)`.",
            fields: [.always("name", .word([name]), "Always `\(name)`; the key to compare.")] + facts,
            // Work fails with facts of its own.
            isOpen: self == .workFailed)
    }
}

extension NamedType {
    static let fault = NamedType(
        "Fault", "One thing that is wrong with a request.",
        fields: [
            .always("path", .string, "Where: a JSON Pointer; empty for the whole."),
            .always("message", .string, "What is wrong there, in a few words."),
        ])

    static let error = NamedType(
        "Error",
        "An error of a response, of an `errors` event, or of an execution's record; `code` distinguishes the cases.",
        .union(ErrorCode.allCases.map { .named($0.type) }))
}
