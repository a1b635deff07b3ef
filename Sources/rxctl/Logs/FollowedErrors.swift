internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The lines of an execution's stderr that the daemon keeps, as they come.
final class FollowedErrors {
    /// The longest time for which the daemon waits for more before it is asked again.
    private static let wait = "60s"
    /// Between two waits, each of which an element ends as well.
    private static let pause = Duration.milliseconds(100)

    var onLine: (String) -> Void = { _ in }
    /// Whether the daemon keeps the execution's output.
    private(set) var isKept = false

    private let session: DaemonSession
    private let execution: String
    /// The bytes that have come.
    private var bytes = 0
    /// The begin of a line.
    private var rest: [UInt8] = []
    private var isFollowing = false

    init(_ session: DaemonSession, of execution: String) {
        self.session = session
        self.execution = execution
    }

    /// Reads what has come until now, and then calls `body`.
    ///
    /// - Parameter isOver: whether the execution has ended, so that the last line needs no end.
    func read(isOver: Bool, then body: @escaping () -> Void) {
        request(wait: false) { [self] _ in
            if isOver, !rest.isEmpty { take([UInt8(ascii: "\n")]) }
            body()
        }
    }

    /// Goes on with what comes until the execution ends or the connection is lost.
    func follow() {
        guard !isFollowing else { return }
        isFollowing = true
        wait()
    }

    private func wait() {
        request(wait: true) { [self] reply in
            switch reply {
            case .success(let result):
                let answer = result.value()
                let state = answer["state"]?.string
                isFollowing = answer["kept"]?.bool == true && (state == "queued" || state == "executing")
            case .failure(.refused(let error)): isFollowing = error.named == .timedOut
            case .failure: isFollowing = false
            }
            guard isFollowing else { return }
            session.schedule(after: Self.pause) { [self] in wait() }
        }
    }

    private func request(wait: Bool, then body: @escaping (Connection.Reply) -> Void) {
        let before = bytes
        // Elements are left out, however many there are.
        var params: JSONObject = [
            "execution": .string(execution), "elements": JSONValue(Int.max), "stderr": JSONValue(before),
        ]
        if wait { params["wait"] = .string(Self.wait) }
        session.link.call(.executionOutput, RawJSON(.object(params))) { [self] reply in
            // Another answer may have had the same.
            if case .success(let result) = reply, bytes == before { take(result.value()) }
            body(reply)
        }
    }

    private func take(_ answer: JSONValue) {
        isKept = answer["kept"]?.bool == true
        bytes = answer["stderr"]?.int ?? bytes
        take(answer.keptStandardError)
    }

    private func take(_ new: [UInt8]) {
        rest += new
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = String(decoding: rest[..<end], as: UTF8.self).standardErrorLines
        rest.removeFirst(end + 1)
        for line in lines { onLine(line) }
    }
}

extension JSONValue {
    /// What the work wrote to its standard error, of an `execution.output`, with a line for what is missing.
    var keptStandardError: [UInt8] {
        var bytes: [UInt8] = []
        for part in self["output"]?.array ?? [] {
            if let missing = part["missing"]?["bytes"]?.int, part["missing"]?["stream"]?.string == "stderr" {
                bytes += Array("\n[\(missing) bytes are not kept]\n".utf8)
            } else {
                bytes += part.standardError ?? []
            }
        }
        return bytes
    }

    /// The last lines of the standard error, of the record of an execution whose error has them.
    var standardErrorTail: [String] { (self["error"]?["data"]?["stderr"]?.string ?? "").standardErrorLines }
}

extension String {
    /// Without empty lines.
    var standardErrorLines: [String] { split(separator: "\n").map(String.init) }
}
