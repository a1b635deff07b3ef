internal import ArgumentParser
internal import RxJSON

/// What is wrong with a command line, as the argument parser has it or better, and how the command is used.
struct UsageFault {
    let message: String
    /// The lines below the message; empty if it needs none.
    let usage: [String]

    init(_ error: any Error, in arguments: [String]) {
        if let fault = CommandNames.fault(in: arguments) {
            message = fault
            usage = []
            return
        }
        message = RootCommand.message(for: error)
        usage = RootCommand.fullMessage(for: error).split(separator: "\n").dropFirst(
            message.split(separator: "\n").count
        )
        .map(String.init)
    }

    /// For people, all lines; for programs, the message and the line with the usage.
    var ending: Ending {
        var ending = Ending.usage(([message] + usage).joined(separator: "\n"))
        ending.brief = message
        ending.facts["usage"] = usage.first { $0.hasPrefix(Self.usagePrefix) }
            .map { .string(String($0.dropFirst(Self.usagePrefix.count))) }
        return ending
    }

    private static let usagePrefix = "Usage: "

    /// Whether `--json`, or `--format json`, is among the options.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        return options.contains("--json") || options.contains("--format=json")
            || zip(options, options.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }
}
