extension MethodDescription {
    static let rpcDiscover = MethodDescription(
        method: .rpcDiscover, summary: "Describes the protocol: an OpenRPC document, with a schema for everything.",
        result: ("document", .document))

    static let serverHello = MethodDescription(
        method: .serverHello,
        summary:
            "Agrees on a version and on features, and reports the daemon's limits. Optional: no method requires it.",
        parameters: [
            .optional("client", .string, "The client's name, for logs."),
            .optional(
                "protocol", .named(.versions),
                "The versions that the client speaks. The daemon refuses with `featureMissing` if its "
                    + "own is not among them."
            ),
            .optional("require", .names, "Features without which the client cannot go on: refused if one is missing."),
            .optional("prefer", .names, "Features that the client would use."),
        ],
        result: ("hello", .hello), errors: [.featureMissing])

    static let serverStatus = MethodDescription(
        method: .serverStatus, summary: "Reports figures of the daemon.",
        parameters: [
            .optional(
                "users", .boolean,
                "Also report what each connected user uses: all of them to root and the daemon's user, "
                    + "to others only themselves."
            ),
            .optional("process", .boolean, "Also report the time, memory, and directories of the daemon's process."),
        ], result: ("status", .status))

    static let serverReload = MethodDescription(
        method: .serverReload,
        summary: """
            Reads the configuration again, after the reloads that wait, and answers when it is in force. If it has \
            faults, the answer is `invalidParams`, and the old one stays in force. A reactor that cannot start with \
            its new definition keeps the old one; it is among `changed` all the same, and `faults` has the reason.
            """,
        parameters: [.optional("dryRun", .boolean, "Only report what would change.")],
        result: ("change", .reload), errors: [.forbidden, .featureMissing, .limitReached, .shuttingDown])
}
