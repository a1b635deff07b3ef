internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The difference between the release of rxctl and that of the daemon, as the reason for a refusal.
struct VersionSkew: Equatable {
    /// Longest wait for the daemon's version; the refusal is reported without it then.
    static let patience = Duration.seconds(1)

    let daemon: String
    let rxctl: String
    /// The protocol that the daemon speaks, if it is another one.
    let daemonProtocol: Int?

    /// Nil if both are of the same release, or the result of `server.hello` does not name the daemon's.
    init?(hello: JSONValue, release: String = ReleaseVersion.current) {
        guard let version = hello["server"]?["version"]?.string else { return nil }
        let spoken = hello["protocol"]?.int
        guard version != release || spoken ?? ProtocolVersion.current != ProtocolVersion.current else { return nil }
        daemon = version
        rxctl = release
        daemonProtocol = spoken == ProtocolVersion.current ? nil : spoken
    }

    /// The refusal with both versions: one line for people, and members of `data` for programs.
    func explaining(_ error: RPCError) -> RPCError {
        var data = error.data?.value().object ?? [:]
        data["rxd"] = .string(daemon)
        data["rxctl"] = .string(rxctl)
        let version = daemonProtocol.map { "\(daemon), protocol rx/\($0)," } ?? daemon
        return RPCError(
            code: error.code,
            message: """
                rxd \(version) does not support \(VersionSkew.subject(of: error)), and rxctl is \(rxctl); \
                install the same release of both and restart rxd
                """, data: RawJSON(.object(data)))
    }

    /// What the daemon lacks.
    private static func subject(of error: RPCError) -> String {
        let data = error.data?.value() ?? .null
        switch error.named {
        case .methodNotFound:
            return (data["method"]?.string).map { "the method \($0)" } ?? "this method"
        case .featureMissing:
            let missing = (data["missing"]?.array ?? []).compactMap(\.string)
            guard !missing.isEmpty else { return "this request (\(error.message))" }
            return "the feature \(missing.joined(separator: ", "))"
        case _:
            let names = error.unknownParameters.map { $0.drop { $0 == "/" } }
            return "the parameter \(names.joined(separator: ", "))"
        }
    }
}

extension RPCError {
    /// Whether another release of the daemon may not refuse the request: it lacks a method, a feature, or a parameter.
    var mayBeVersionSkew: Bool {
        switch named {
        case .methodNotFound, .featureMissing: true
        case .invalidParams: !unknownParameters.isEmpty
        case _: false
        }
    }

    /// JSON Pointers to the params that the daemon does not know.
    fileprivate var unknownParameters: [String] {
        (data?.value()["errors"]?.array ?? []).filter { $0["message"]?.string == RPCError.unknownParameter }
            .compactMap { $0["path"]?.string }
    }
}

extension DaemonSession {
    /// Calls `body` once, with the difference between the daemon's release and this one; nil if there is none, or the
    /// daemon does not answer in time.
    func findVersionSkew(_ body: @escaping (VersionSkew?) -> Void) {
        var body: ((VersionSkew?) -> Void)? = body
        func answer(_ skew: VersionSkew?) {
            let once = body
            body = nil
            once?(skew)
        }
        link.call(Method.serverHello) { reply in
            answer((try? reply.get()).flatMap { VersionSkew(hello: $0.value()) })
        }
        schedule(after: VersionSkew.patience) { answer(nil) }
    }
}
