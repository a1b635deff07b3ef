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
        help: ArgumentHelp(
            "Print the state at this revision.",
            discussion: "For a durable reactor, as far back as its history reaches.",
            valueName: "revision"))
    var at: Int?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Print the RFC 6902 patch from one revision to another.", valueName: "from> <to"))
    var diff: [String] = []

    @Argument(help: ArgumentHelp("The reactor's name.", valueName: "reactor"), completion: .reactors)
    var name: String?

    @OptionGroup var options: GlobalOptions

    /// The parser takes a name after `--diff A B` for a third value.
    private var revisions: [Int] { diff.prefix(2).compactMap(Int.init) }
    var reactor: String { name ?? (diff.count == 3 ? diff[2] : "") }

    func validate() throws {
        if follow, at != nil || !diff.isEmpty {
            throw ValidationError("--follow begins with the present state; remove --at and --diff.")
        }
        if !diff.isEmpty, revisions.count != 2 || diff.count > (name == nil ? 3 : 2) || at != nil {
            throw ValidationError("--diff takes two revisions.")
        }
        if reactor.isEmpty { throw ValidationError("Missing expected argument '<reactor>'") }
        if ([at].compactMap(\.self) + revisions).contains(where: { $0 < 0 }) {
            throw ValidationError("A revision must be 0 or more.")
        }
        if patch, !follow { throw ValidationError("--patch needs --follow.") }
        if let path {
            do { _ = try JSONPointer(path) } catch { throw ValidationError("--path: \(error)") }
        }
    }

    func run() throws {
        try DaemonSession.run(options, reconnecting: follow ? .forever : nil) { session in
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
        var params: JSONObject = ["reactor": .string(reactor)]
        params["path"] = path.map(JSONValue.string)
        params["revision"] = at.map { JSONValue($0) }
        session.call(.reactorState, RawJSON(.object(params))) { result in
            session.print((try? result.value(at: JSONPointer("/state"))) ?? .null)
            session.finish()
        }
    }

    private func printDifference(_ session: DaemonSession) {
        func state(_ revision: Int, then body: @escaping (JSONValue) -> Void) {
            var params: JSONObject = ["reactor": .string(reactor), "revision": JSONValue(revision)]
            params["path"] = path.map(JSONValue.string)
            session.call(.reactorState, RawJSON(.object(params))) { body($0.value()["state"] ?? .null) }
        }
        state(revisions[0]) { from in
            state(revisions[1]) { to in
                var writer = JSONWriter()
                JSONPatch(from: from, to: to).write(to: &writer)
                session.print(RawJSON(unchecked: writer.bytes))
                session.finish()
            }
        }
    }
}
