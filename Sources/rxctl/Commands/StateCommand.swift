internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct StateCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Prints a reactor's state as one JSON text.",
        usage: "rxctl state [<options>] <reactor>",
        discussion: """
            With --follow the state is printed again whenever it changes, until interrupted. A slow reader skips to \
            the newest state.

            With --follow --patch the first line is {"state":…,"revision":…}. Each further line is \
            {"patch":…,"revision":…}, an RFC 6902 patch of the state before, or again a whole state if that is \
            shorter, or if states were missed.
            """)

    @Flag(help: "Print the state again whenever it changes.")
    var follow = false

    @Flag(help: "With --follow: print changes as patches.")
    var patch = false

    @Option(
        help: ArgumentHelp(
            "Print only this part of the state.",
            discussion: "A JSON Pointer, such as /a/0. With --follow, a part that is missing is null.",
            valueName: "pointer"))
    var path: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Print the state at this revision, or at this time: 42, -1 (one before the newest), 10m (ago), "
                + "2026-11-22T03:00.",
            discussion: "For a persistent reactor, as far back as its history reaches.",
            valueName: "revision"), transform: { try StatePosition($0) })
    var at: StatePosition?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Print what has changed from one revision or time to another, member by member: an RFC 6902 patch, or on a "
                + "terminal lines with - and +.", valueName: "from> <to"))
    var diff: [String] = []

    @Argument(help: ArgumentHelp("The reactor's name.", valueName: "reactor"), completion: .reactors)
    var name: String?

    @OptionGroup var options: GlobalOptions

    /// The parser takes a name after `--diff A B` for a third value.
    private var positions: [StatePosition] { diff.prefix(2).compactMap { try? StatePosition($0) } }
    var reactor: String { name ?? (diff.count == 3 ? diff[2] : "") }

    func validate() throws {
        if follow, at != nil || !diff.isEmpty {
            throw ValidationError("--follow begins with the present state; remove --at and --diff.")
        }
        if at != nil, !diff.isEmpty { throw ValidationError("--at and --diff exclude each other; remove one of them.") }
        if !diff.isEmpty, positions.count != 2 || diff.count > (name == nil ? 3 : 2) {
            throw ValidationError("--diff takes two revisions or times, such as --diff 10m 42.")
        }
        if reactor.isEmpty { throw ValidationError("Missing expected argument '<reactor>'") }
        if patch, !follow { throw ValidationError("--patch needs --follow.") }
        if let path {
            do { _ = try JSONPointer(path) } catch { throw ValidationError("--path: \(error)") }
        }
    }

    func run() throws {
        try DaemonSession.run(options, reconnecting: follow ? .forever : nil) { session in
            session.names = NameArguments(.state, [reactor])
            if follow {
                session.endWholeLinesOnly()
                FollowedState(session, self).start()
            } else {
                printState(session)
            }
        }
    }

    private func printState(_ session: DaemonSession) {
        guard diff.isEmpty else { return printDifference(session) }
        func print(at revision: Int?) {
            session.call(.reactorState, params(revision)) { result in
                session.print((try? result.value(at: JSONPointer("/state"))) ?? .null)
                session.finish()
            }
        }
        guard let at else { return print(at: nil) }
        session.findRevision(at, of: reactor) { print(at: $0) }
    }

    private func params(_ revision: Int?) -> RawJSON {
        var params: JSONObject = ["reactor": .string(reactor)]
        params["path"] = path.map(JSONValue.string)
        params["revision"] = revision.map { JSONValue($0) }
        return RawJSON(.object(params))
    }

    private func printDifference(_ session: DaemonSession) {
        func state(_ position: StatePosition, then body: @escaping (JSONValue) -> Void) {
            session.findRevision(position, of: reactor) { revision in
                session.call(.reactorState, params(revision)) { body($0.value()["state"] ?? .null) }
            }
        }
        let (from, to) = (positions[0], positions[1])
        state(from) { old in
            state(to) { new in
                let difference = StateDifference(from: old, to: new)
                if session.isForPrograms {
                    var writer = JSONWriter()
                    JSONPatch(difference.operations).write(to: &writer)
                    session.print(RawJSON(unchecked: writer.bytes))
                } else {
                    for line in difference.lines { session.print(line) }
                }
                session.finish()
            }
        }
    }
}
