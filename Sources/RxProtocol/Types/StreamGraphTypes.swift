// What streams consist of, for pictures.

extension NamedType {
    static let graphReference = NamedType(
        "GraphReference", "An action, reactor, or stream that something reads.",
        fields: [
            .always("kind", .word(["action", "reactor", "stream"]), "What the name belongs to."),
            .always("name", .string, "The name."),
            .always("label", .string, "The channel, or the pointer into the state; empty for the usual one."),
        ])

    static let graphSource = NamedType(
        "GraphSource", "A source of a stream or of one of its steps.",
        fields: [
            .always("step", .string, "The place of the step that reads it; `0` for the source of the stream."),
            .always(
                "place", .string,
                "Its place among the sources of the step, such as `1`, and `1.2` for the second part of `merge`, "
                    + "`combineLatest`, or `zip`."),
            .always("key", .string, "The key in the configuration, such as `calendar`."),
            .always(
                "value", .string,
                "The value, on one line of at most 160 characters; empty without one, or if it may not be seen."),
            .always(
                "references", .array(of: .named(.graphReference)), "What it reads, as far as the client may see it."),
        ])

    static let graphStep = NamedType(
        "GraphStep", "A step of a stream.",
        fields: [
            .always("step", .string, "Its place, such as `2`, and `2.1` for the first step of an inner chain."),
            .always("operator", .string, "The operator."),
            .always(
                "argument", .string,
                "The argument and the options, on one line of at most 160 characters; empty without any, or if the "
                    + "client may not see them."),
            .maybe("executes", .string, "The action that it executes; absent also if the client may not see it."),
            .maybe(
                "emitted", .count,
                "The elements that it emitted; absent for a step of an inner chain, for `retry`, and for `catch`."),
            .maybe("failed", .count, "How often it failed; absent where `emitted` is."),
        ])

    static let graphTarget = NamedType(
        "GraphTarget", "What an `on` gives the elements of a stream to.",
        fields: [
            .always("kind", .word(["action", "reactor"]), "What the name belongs to."),
            .always("name", .string, "The name."),
            .always("refused", .count, "The refused firings since the daemon started."),
        ])

    static let streamGraph = NamedType(
        "StreamGraph",
        "What a stream consists of. A client that may see the stream, but not all of its parts, gets the keys and the "
            + "operators, without values and arguments, and only the names that it may see.",
        fields: [
            .always("inline", .boolean, "Whether the stream is a source without a name, in an `on`."),
            .always("seconds", .count, "How long the figures have been counted."),
            .always("sources", .array(of: .named(.graphSource)), "The sources, each followed by its parts."),
            .always("steps", .array(of: .named(.graphStep)), "The steps, each followed by those of its inner chain."),
            .always("targets", .array(of: .named(.graphTarget)), "Its targets."),
            .maybe(
                "conditions", .array(of: .named(.graphReference)),
                "What its condition reads, as far as the client may see it; the label is the program."),
        ])

    static let graphAction = NamedType(
        "GraphAction", "An action of a picture.",
        fields: [
            .always("action", .string, "The name."),
            .always("enabled", .boolean, "Whether it takes inputs."),
            .always("reason", .orNull(.named(.reason)), "Why it is not enabled; null if it is."),
            .maybe(
                "conditions", .array(of: .named(.graphReference)),
                "What its condition reads, as far as the client may see it; the label is the program."),
        ])

    static let graphReactor = NamedType(
        "GraphReactor", "A reactor of a picture.",
        fields: [
            .always("reactor", .string, "The name."),
            .always(
                "executes", .array(of: .string),
                "The actions that its rules execute, as far as the client may see them."),
        ])
}
