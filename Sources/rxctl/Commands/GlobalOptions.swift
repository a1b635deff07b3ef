internal import ArgumentParser
internal import RxProtocol

/// The options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The daemon's socket.",
            discussion: """
                Default: $RXD_SOCKET, else $XDG_RUNTIME_DIR/rxd/rxd.sock if it exists, else \(DefaultSocketPath.system).
                """,
            valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp("Wait this long for a daemon that is not running yet.", valueName: "duration"),
        transform: { try DurationArgument.parse($0) })
    var wait: DurationArgument?

    @Flag(help: "Print JSON on stdout even on a terminal, and errors as JSON on stderr.")
    var json = false
}
