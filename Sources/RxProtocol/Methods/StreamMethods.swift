extension MethodDescription {
    static let streamList = MethodDescription(
        method: .streamList, summary: "Lists the streams that the client has any right on.",
        parameters: [
            .optional(
                "graph", .boolean,
                "Whether to add what the streams consist of, and the actions and reactors, for a picture. Default: "
                    + "false.")
        ],
        result: ("streams", .streams))

    static let streamDescribe = MethodDescription(
        method: .streamDescribe, summary: "Describes one stream, with its last firings and the figures of its steps.",
        parameters: [.stream], result: ("stream", .streamDetails), errors: [.notFound, .forbidden])

    static let streamSend = MethodDescription(
        method: .streamSend, summary: "Emits an element on a stream whose source is `subject`.",
        parameters: [.stream, .required("element", .any, "The element.")], result: ("sent", .sent),
        errors: [.notFound, .forbidden, .notEnabled, .limitReached])

    static let streamFire = MethodDescription(
        method: .streamFire,
        summary: "Emits an element in place of a stream's source; takes the right to manage the stream.",
        parameters: [
            .stream,
            .optional(
                "element", .any,
                "The element. If absent: the element of a slot now for a schedule, otherwise an object with `fired`, "
                    + "the time."),
        ], result: ("sent", .sent), errors: [.notFound, .forbidden, .notEnabled, .limitReached])

    static let streamEnable = MethodDescription(
        method: .streamEnable,
        summary: "Undoes `stream.disable`, and has every `on` that was paused for a loop continue. "
            + "Times that came due meanwhile are not owed.",
        parameters: [.stream, .optional("reason", .string, "Why, for the log. At most 1024 bytes.")],
        result: ("state", .streamSwitched), errors: [.notFound, .forbidden])

    static let streamDisable = MethodDescription(
        method: .streamDisable,
        summary: "Stops the sources of a stream until `stream.enable`; its steps keep their state.",
        parameters: [.stream, .optional("reason", .string, "Why. At most 1024 bytes.")],
        result: ("state", .streamSwitched), errors: [.notFound, .forbidden])
}

extension MethodDescription.Parameter {
    fileprivate static let stream = MethodDescription.Parameter.required("stream", .string, "The stream's name.")
}
