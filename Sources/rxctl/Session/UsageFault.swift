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
        let text = RootCommand.message(for: error)
        message = text + Self.advice(text)
        usage = RootCommand.fullMessage(for: error).split(separator: "\n").dropFirst(
            text.split(separator: "\n").count
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

    /// What to do about an option that is a number.
    private static func advice(_ message: String) -> String {
        message.contains(#/^Unknown option '-[0-9]/#) ? "; a negative number needs -- before it" : ""
    }

    private static let usagePrefix = "Usage: "

    /// Whether `--json`, or `--format json`, is among the options.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        return options.contains("--json") || options.contains("--format=json")
            || zip(options, options.dropFirst()).contains { $0 == "--format" && $1 == "json" }
    }
}
