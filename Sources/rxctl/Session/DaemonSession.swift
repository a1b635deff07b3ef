internal import Glibc
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxLoop
internal import RxProtocol

/// One command's time with the daemon: the loop on the main thread, the link, stdout, and the signals.
///
/// A command starts its requests in the body of `run` and calls `finish` when it knows how it ended. Until then the
/// session handles everything else: an unreachable or vanished daemon, a reader of stdout that goes away, Ctrl-C.
final class DaemonSession {
    let options: GlobalOptions
    let output: Output
    /// Set before the body of `run` is called.
    private(set) var link: Link!
    /// The names in the command's arguments: an error about one of them is explained by what else the daemon has.
    var names: NameArguments?
    /// The name in an option of the command, likewise.
    var optionNames: NameArguments?
    /// The input in the command's arguments: faults in it are explained by how it was written.
    var input: InputArguments?
    /// How far the command has come, on a terminal: it makes room for whatever else is printed.
    var progress: ProgressLine?
    /// Called at the first Ctrl-C. Without it the session ends at once, as at the second one.
    var onInterrupt: (() -> Void)?

    private let loop: EventLoop
    private let interrupts: Interrupts
    private var interruptions = 0
    private var ending: Ending?

    /// Connects, calls `body` with the session, and returns when it is done; otherwise throws how it ended.
    ///
    /// - Parameter reconnecting: how the link finds the daemon again; nil ends the session with its connection.
    static func run(
        _ options: GlobalOptions, reconnecting: Reconnecting? = nil, _ body: @escaping (DaemonSession) -> Void
    ) throws(Ending) {
        let session: DaemonSession
        do {
            session = try DaemonSession(options)
        } catch {
            throw Ending(outcome: .failed, message: .text(error.description))
        }
        var search = DaemonSearch(options, session.loop, reconnecting)
        session.connect(&search, body)
        session.loop.run()
        guard let ending = session.ending, ending.outcome != .done else { return }
        throw ending
    }

    private init(_ options: GlobalOptions) throws(SystemCallError) {
        self.options = options
        loop = try EventLoop()
        output = try Output(loop: loop)
        interrupts = try Interrupts(loop: loop)
        output.onFailure = { [unowned self] in leave(.outputFailed(errno: $0)) }
        output.onCursorFailure = { [unowned self] in leave($0) }
        output.onCongestion = { [unowned self] in link?.isReadingPaused = $0 }
        interrupts.onInterrupt = { [unowned self] in interrupt() }
    }

    private func connect(_ search: inout DaemonSearch, _ body: @escaping (DaemonSession) -> Void) {
        take(search.attempt(), search, body)
    }

    private func take(_ step: DaemonSearch.Step, _ search: DaemonSearch, _ body: @escaping (DaemonSession) -> Void) {
        switch step {
        case .found(let link):
            self.link = link
            link.isReadingPaused = output.isCongested
            link.onLoss = { [unowned self] in note("\($0.description); connecting again") }
            guard search.asksFirst else { return begin(body) }
            // What accepts the connection may be a daemon on its way out, or a socket without one.
            link.call(.serverHello) { [self] reply in
                guard case .failure(.closed(let errno)) = reply else { return begin(body) }
                var search = search
                take(search.lost(.closed(errno: errno)), search, body)
            }
        case .wait(let pause):
            schedule(after: pause) { [self, search] in
                var search = search
                connect(&search, body)
            }
        case .failed(let error):
            finish(Ending(error))
        }
    }

    private func begin(_ body: (DaemonSession) -> Void) {
        link.onClose = { [unowned self] in finish(Ending($0)) }
        body(self)
    }

    // MARK: Requests

    /// Sends a request; an error ends the command with it.
    func call(_ method: Method, _ params: RawJSON? = nil, then body: @escaping (RawJSON) -> Void) {
        link.call(method, params, completion: succeed(body))
    }

    /// Sends a request for a method that this release may not know.
    func call(unchecked method: String, _ params: RawJSON?, then body: @escaping (RawJSON) -> Void) {
        link.call(method, params, completion: succeed(body))
    }

    /// Sends one request after the other until one does not answer `notFound`. If all do, the command ends with that.
    func call(
        firstOf requests: [(method: Method, params: RawJSON)], then body: @escaping (RawJSON, Method) -> Void
    ) {
        guard let (method, params) = requests.first else { return }
        link.call(method, params) { [self] reply in
            guard requests.count > 1, reply.isNotFound else { return succeed { body($0, method) }(reply) }
            call(firstOf: Array(requests.dropFirst()), then: body)
        }
    }

    /// A completion for which an error is the command's end.
    func succeed(_ body: @escaping (RawJSON) -> Void) -> (Connection.Reply) -> Void {
        { [unowned self] reply in
            switch reply {
            case .success(let result): body(result)
            case .failure(let error): finish(Ending(error))
            }
        }
    }

    // MARK: Output

    /// Whether stdout is for programs: `--json`, or no terminal.
    var isForPrograms: Bool { options.json || !StandardStreams.outputIsTerminal }

    /// - Returns: whether it is new; see `Output.printLine`.
    @discardableResult
    func print(_ json: RawJSON) -> Bool {
        guard ending == nil else { return false }
        makeRoom()
        return output.printLine(json.line(forTerminal: StandardStreams.outputIsTerminal))
    }

    /// Prints text for people; on a terminal, without control characters.
    func print(_ text: String) {
        guard ending == nil else { return }
        makeRoom()
        output.printLine((StandardStreams.outputIsTerminal ? text.printable : text).utf8)
    }

    /// Prints a string of an element without its quotes, and with all its characters.
    func print(unquoted text: String) {
        guard ending == nil else { return }
        makeRoom()
        output.printLine(text.utf8)
    }

    /// Prints bytes that need not end a line; on a terminal, without control characters.
    func print(bytes: [UInt8]) {
        guard ending == nil else { return }
        makeRoom()
        guard StandardStreams.outputIsTerminal else { return output.print(bytes) }
        output.print(String(decoding: bytes, as: UTF8.self).printable.utf8)
    }

    /// Everything printed so far reaches to `cursor`.
    func reach(_ cursor: String) {
        guard ending == nil else { return }
        output.reach(cursor)
    }

    /// Prints a remark on stderr that does not end the command.
    func note(_ text: String) {
        guard ending == nil else { return }
        progress?.clear()
        if options.json {
            StandardStreams.writeError(RawJSON(["message": .string(text)]))
        } else {
            StandardStreams.note(text)
        }
    }

    /// Prints on stderr how one of several things ended, after everything printed before it.
    func report(_ ending: Ending, of place: LinePlace) {
        output.flush()
        progress?.clear()
        ending.report(json: options.json, of: place)
    }

    /// Removes the progress from a terminal that output is about to come to.
    private func makeRoom() {
        if StandardStreams.outputIsTerminal { progress?.clear() }
    }

    // MARK: The loop

    func schedule(after delay: Duration, _ body: @escaping () -> Void) {
        loop.schedule(after: delay, body)
    }

    /// Calls `body` whenever `descriptor` is readable or was hung up, until the watch is canceled.
    func watch(_ descriptor: Int32, _ body: @escaping () -> Void) throws(SystemCallError) -> Watch {
        try loop.watch(fd: descriptor, .readable) { _ in body() }
    }

    // MARK: The end

    /// Whether the command knows how it ends; nothing more is printed then.
    var isOver: Bool { ending != nil }

    /// Ends the command after everything printed so far is written. Only the first ending counts.
    func finish(_ ending: Ending = .done) {
        guard self.ending == nil else { return }
        if case .error(let error) = ending.message {
            for place in [\DaemonSession.names, \.optionNames] {
                guard let arguments = self[keyPath: place], let retry = arguments.retry, arguments.explains(error)
                else { continue }
                self[keyPath: place] = arguments.replaced(by: arguments.names)
                return findExecutions(arguments.names) { [self] found in
                    guard let found else { return finish(ending) }
                    self[keyPath: place] = arguments.replaced(by: found)
                    retry(found)
                }
            }
        }
        self.ending = ending
        guard case .error(let error) = ending.message else { return drain() }
        explain(error) { [self] message in
            self.ending?.message = message
            drain()
        }
    }

    /// Calls `body` once with the message for an error, after asking the daemon for what explains it.
    private func explain(_ error: RPCError, _ body: @escaping (Ending.Message) -> Void) {
        if error.mayBeVersionSkew {
            findVersionSkew { body($0.map { .skew($0.explaining(error)) } ?? .error(error)) }
        } else if let arguments = [names, optionNames].lazy.compactMap(\.self).first(where: { $0.explains(error) }) {
            readNames { index in
                body(.error(index.flatMap { NameReport(arguments, $0) }.map(error.adding) ?? error))
            }
        } else if let input, input.explains(error) {
            input.explain(error, self) { body(.error($0)) }
        } else {
            body(.error(error))
        }
    }

    private func drain() {
        progress?.end()
        output.drain { [loop] in loop.stop() }
    }

    /// Ends the session at the first signal, the hang-up of a terminal included, with the line that has been begun.
    func endWholeLinesOnly() {
        interrupts.add(SIGHUP)
        onInterrupt = { [unowned self] in
            output.dropUnbegun()
            finish(.interrupted)
        }
    }

    /// Ends the session at once, whatever is unwritten.
    private func leave(_ ending: Ending) {
        progress?.end()
        self.ending = ending
        link?.close()
        loop.stop()
    }

    private func interrupt() {
        interruptions += 1
        if interruptions == 1, ending == nil, link != nil, let onInterrupt {
            onInterrupt()
        } else {
            leave(.interrupted)
        }
    }
}

extension Result<RawJSON, ClientError> {
    /// Whether the daemon knows nothing of that name.
    var isNotFound: Bool {
        guard case .failure(.refused(let error)) = self else { return false }
        return error.named == .notFound
    }
}
