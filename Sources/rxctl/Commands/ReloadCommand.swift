internal import ArgumentParser
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct ReloadCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reloads the daemon's configuration, and prints what changed.",
        usage: "rxctl reload [<options>]",
        discussion: """
            A configuration with faults is refused as a whole, and the old one stays in force. Prints a table on a \
            terminal; otherwise, and with --json, a JSON object. Of the streams, it lists those that start, stop, \
            start over, lose the state of their operators, are rebuilt with all they have, or are left alone.

            A reactor that cannot start as it is defined is reported with its reason, and the exit status is 1: the \
            rest is in force, and a reactor that ran before goes on with its old definition.

            With --dry-run, a configuration with faults prints them, one per line, and the exit status is 78, as \
            with rxd --check.
            """)

    @Flag(help: "Print what would change, without changing anything.")
    var dryRun = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try DaemonSession.run(options) { session in
            session.link.call(.serverReload, RawJSON(["dryRun": .bool(dryRun)])) { reply in
                if dryRun, case .failure(.refused(let error)) = reply, let faults = error.faultLines {
                    return session.finish(
                        Ending(
                            outcome: .faulty, message: .text(faults.joined(separator: "\n")),
                            facts: ["name": "invalidParams", "faults": .array(faults.map { .string($0) })]))
                }
                session.succeed { result in
                    session.printReload(result)
                    session.finish(Ending(reload: result))
                }(reply)
            }
        }
    }
}

extension Ending {
    /// A failure if the change is only partly in force.
    fileprivate init(reload change: RawJSON) {
        guard let faults = change.value()["faults"]?.array?.compactMap(\.string), !faults.isEmpty else {
            self = .done
            return
        }
        self.init(
            outcome: .failed, message: .text(faults.joined(separator: "\n")),
            facts: ["name": "failed", "faults": .array(faults.map { .string($0) })])
    }
}

extension RPCError {
    /// The faults of a configuration, a line each; nil for another error.
    fileprivate var faultLines: [String]? { data?.value()["faults"]?.array?.compactMap(\.string) }
}

extension DaemonSession {
    /// Prints a change; on a terminal, the lists of streams are rows of their own.
    fileprivate func printReload(_ change: RawJSON) {
        guard !isForPrograms, var object = change.value().object, let streams = object["streams"]?.object else {
            return printFacts(change)
        }
        (object["streams"], object["faults"]) = (nil, nil)
        for list in streams { object["streams \(list.key)"] = list.value }
        printFacts(RawJSON(.object(object)))
    }
}
