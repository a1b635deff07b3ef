internal import Glibc
internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// How a command ended, and the message on stderr.
struct Ending: Error {
    enum Message {
        case none
        case text(String)
        case error(RPCError)
        /// An error whose message is complete by itself.
        case skew(RPCError)
    }

    let outcome: Outcome
    var message = Message.none
    /// The message for `--json`, if people get more lines.
    var brief: String?
    /// The `data` of the message for `--json`, if the message is not the daemon's.
    var facts: JSONObject = [:]

    static let done = Ending(outcome: .done)
    static let interrupted = Ending(outcome: .interrupted)
    static let readerGone = Ending(outcome: .readerGone)

    static func inputRefused(_ message: String) -> Ending {
        Ending(outcome: .inputRefused, message: .text(message), facts: ["name": "inputRefused"])
    }

    static func usage(_ message: String) -> Ending {
        Ending(outcome: .usage, message: .text(message), facts: ["name": "usage"])
    }

    static func outputFailed(errno: Int32) -> Ending {
        errno == EPIPE
            ? .readerGone
            : Ending(outcome: .failed, message: .text("cannot write to stdout: \(SystemErrorName.text(of: errno))"))
    }

    /// The end of a stream without an error.
    static func ended(_ reason: EndReason) -> Ending {
        let message: Message =
            switch reason {
            case .completed, .unsubscribed, .caughtUp: .none
            case .failed: .text("the work failed")
            case .cancelled: .text("the execution was canceled")
            case .timedOut: .text("the work timed out")
            case .removed: .text("it was removed from the configuration")
            case .shutdown: .text("the daemon is stopping")
            case .limit: .text("a limit of the daemon was reached")
            case .revoked: .text("the permission was revoked")
            }
        return Ending(outcome: .ended(reason), message: message, facts: ["name": .string(reason.rawValue)])
    }

    static func refused(_ error: RPCError) -> Ending {
        Ending(outcome: .error(error.named), message: .error(error))
    }
}

extension Ending {
    init(_ error: ClientError) {
        switch error {
        case .refused(let error):
            self = .refused(error)
        case .unreachable(let path, let errno):
            self.init(outcome: .unreachable, message: .text(error.description + SocketAdvice.text(for: path, errno)))
            facts = ["name": "unreachable", "path": .string(path)]
            facts["errno"] = SystemErrorName.name(of: errno).map(JSONValue.string)
        case .closed, .protocolViolation, .congested:
            self.init(outcome: .unreachable, message: .text(error.description), facts: ["name": "unreachable"])
        case .tooLarge:
            self.init(
                outcome: .error(.tooLarge), message: .text(error.description),
                facts: ["name": .string(ErrorCode.tooLarge.name)])
        case .cancelled:
            self = .interrupted
        }
    }

    /// The message as an error of the protocol: `message`, `data`, and the `code` of the daemon's.
    var errorObject: JSONObject {
        switch message {
        case .none:
            return ["message": .string(facts["name"]?.string ?? "it failed"), "data": .object(facts)]
        case .text(let text):
            return ["message": .string(brief ?? text), "data": .object(facts)]
        case .error(let error), .skew(let error):
            var writer = JSONWriter()
            writer.value(error)
            return RawJSON(unchecked: writer.bytes).value().object ?? [:]
        }
    }

    /// Prints the message on stderr, for people or as one line of JSON.
    ///
    /// - Parameter place: the line that it is about.
    func report(json: Bool, of place: LinePlace? = nil) {
        switch message {
        case .none:
            break
        case .text where json, .error where json, .skew where json:
            writeError(errorObject, place)
        case .text(let text):
            StandardStreams.note(Ending.prefix(place) + text)
        case .error(let error):
            StandardStreams.note(Ending.prefix(place) + error.forPeople)
        case .skew(let error):
            StandardStreams.note(Ending.prefix(place) + error.message)
        }
    }

    private static func prefix(_ place: LinePlace?) -> String {
        place.map { "\($0.text): " } ?? ""
    }

    private func writeError(_ object: JSONObject, _ place: LinePlace?) {
        var all: JSONObject = [:]
        if let (key, value) = place?.member { all[key] = value }
        for member in object { all[member.key] = member.value }
        StandardStreams.writeError(RawJSON(.object(all)))
    }
}
