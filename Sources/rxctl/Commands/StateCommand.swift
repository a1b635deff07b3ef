internal import ArgumentParser
internal import RxClient
internal import RxJSON
internal import RxProtocol

struct StateCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Prints a reactor's state, as one JSON text.",
        discussion: """
            With --follow the state is printed again whenever it changes, until interrupted; a reader that is slow gets the \
            newest. With --patch only the first line is a state, as {"state":…,"revision":…}; each further one is \
            {"patch":…,"revision":…}, an RFC 6902 patch to be applied to what was before, or again a whole state where \
            that is less or nobody knows what was before.
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Go on whenever it changes.")
    var follow = false

    @Flag(help: "With --follow: tell how it changes.")
    var patch = false

    @Option(
        help: ArgumentHelp(
            "Only this part of the state.",
            discussion: "A JSON Pointer: /a/0. With --follow null where it is not there.",
            valueName: "pointer"))
    var path: String?

    @Option(
        help: ArgumentHelp(
            "As it was at this revision.", discussion: "Of a reactor that persists, as far as its history goes.",
            valueName: "revision"))
    var at: Int?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "What leads from one revision to another, as an RFC 6902 patch.", valueName: "from> <to"))
    var diff: [String] = []

    @Argument(help: ArgumentHelp("The reactor's name.", valueName: "reactor"), completion: .reactors)
    var name: String?

    /// Behind `--diff A B` the name is taken for a third value.
    private var revisions: [Int] { diff.prefix(2).compactMap(Int.init) }
    var reactor: String { name ?? (diff.count == 3 ? diff[2] : "") }

    func validate() throws {
        if follow, at != nil || !diff.isEmpty { throw ValidationError("--follow begins now: no --at, no --diff.") }
        if !diff.isEmpty, revisions.count != 2 || diff.count > (name == nil ? 3 : 2) || at != nil {
            throw ValidationError("--diff takes two revisions.")
        }
        if reactor.isEmpty { throw ValidationError("Missing expected argument '<reactor>'") }
        if ([at].compactMap(\.self) + revisions).contains(where: { $0 < 0 }) {
            throw ValidationError("A revision is 0 or more.")
        }
        if patch, !follow { throw ValidationError("--patch goes with --follow.") }
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
                tell(session)
            }
        }
    }

    private func tell(_ session: DaemonSession) {
        guard diff.isEmpty else { return tellDifference(session) }
        var params: JSONObject = ["reactor": .string(reactor)]
        params["path"] = path.map(JSONValue.string)
        params["revision"] = at.map { JSONValue($0) }
        session.call("reactor.state", RawJSON(.object(params))) { result in
            session.print((try? result.value(at: JSONPointer("/state"))) ?? .null)
            session.finish()
        }
    }

    private func tellDifference(_ session: DaemonSession) {
        func state(_ revision: Int, then body: @escaping (JSONValue) -> Void) {
            var params: JSONObject = ["reactor": .string(reactor), "revision": JSONValue(revision)]
            params["path"] = path.map(JSONValue.string)
            session.call("reactor.state", RawJSON(.object(params))) { body($0.value()["state"] ?? .null) }
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
