internal import RxClient
internal import RxJSON
internal import RxLoop
internal import RxProtocol

/// Requests to the daemon on behalf of a shell that waits after Tab: they succeed soon, or fail silently.
struct CompletionQuery {
    /// Longest wait; a shell that hangs longer is worse than one without candidates.
    static let patience = Duration.milliseconds(300)

    let path: String
    private let deadline = ContinuousClock.now + patience

    init(path: String) {
        self.path = path
    }

    init(_ words: CommandLineWords) {
        self.init(path: SocketPath.resolve(option: words.socket))
    }

    /// The result, or nil for any failure. All requests of one query share its time.
    func ask(_ method: Method, _ params: JSONObject = [:]) -> JSONValue? {
        guard let loop = try? EventLoop(), let connection = try? Connection(path: path, loop: loop) else { return nil }
        var answer: JSONValue?
        connection.call(method.rawValue, RawJSON(.object(params))) { reply in
            if case .success(let result) = reply { answer = result.value() }
            loop.stop()
        }
        loop.schedule(after: max(.zero, deadline - .now)) { loop.stop() }
        loop.run()
        connection.close()
        return answer
    }
}
