internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A directory of the daemon that the other commands talk to, for a command that rxd carries out without the daemon.
enum DaemonDirectory: String {
    case configuration
    case state

    /// rxd's option for the directory.
    private var option: String {
        switch self {
        case .configuration: "--config"
        case .state: "--state"
        }
    }

    /// How a user of rxctl names the directory.
    private var advice: String {
        switch self {
        case .configuration: "name its directory"
        case .state: "name its directory with --state"
        }
    }

    /// The arguments of rxd that name the directory, which the daemon reports; none for the system's daemon, whose
    /// directories rxd knows.
    ///
    /// The user's own daemon need not answer: by default, its directories are those of `rxd --user`.
    func arguments(_ options: GlobalOptions) throws(Ending) -> [String] {
        let socket = SocketPath.resolve(option: options.socket)
        guard socket != DefaultSocketPath.system else { return [] }
        var found: String?
        do throws(Ending) {
            try DaemonSession.run(options) { session in
                session.call(.serverStatus, RawJSON(["process": true])) { status in
                    found = status.value()[rawValue]?.string
                    if let found { session.note("the \(rawValue) is \(found), of the daemon on \(socket)") }
                    session.finish()
                }
            }
        } catch {
            guard error.outcome == .unreachable else { throw error }
            if SocketPath.isOfUser(socket) { return ["--user"] }
            guard case .text(let text) = error.message else { throw error }
            var ending = error
            ending.message = .text("\(text), or \(advice)")
            throw ending
        }
        if let found { return ["\(option)=\(found)"] }
        // A daemon of an earlier release reports none.
        if SocketPath.isOfUser(socket) { return ["--user"] }
        throw Ending(
            outcome: .error(.notFound),
            message: .text("the daemon on \(socket) reports no directory of its \(rawValue); \(advice)"),
            facts: ["name": .string(ErrorCode.notFound.name)])
    }
}
