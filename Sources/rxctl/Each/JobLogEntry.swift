internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// One line of a job log: how a line of the input ended.
struct JobLogEntry: Equatable {
    enum State: String {
        case completed, failed, cancelled, timedOut
        /// The daemon was gone, or stopped, before the work had ended.
        case interrupted
        /// Nothing was executed.
        case refused
    }

    let line: Int
    /// The hash of the input.
    let input: String
    let state: State
    /// Nil if the daemon accepted nothing.
    let execution: String?
    /// Why it did not complete.
    var error: String?

    init(line: Int, input: String, state: State, execution: String?, _ error: String? = nil) {
        self.line = line
        self.input = input
        self.state = state
        self.execution = execution
        self.error = error
    }

    /// The entry as JSON with its newline.
    func bytes(at time: Timestamp) -> [UInt8] {
        var members: JSONObject = [
            "line": JSONValue(line), "input": .string(input), "state": .string(state.rawValue),
        ]
        members["execution"] = execution.map { .string($0) }
        members["error"] = error.map { .string($0) }
        members["time"] = .string(time.description)
        return RawJSON(.object(members)).utf8 + [UInt8(ascii: "\n")]
    }
}

extension JobLogEntry {
    /// Nil for anything but an entry.
    init?(_ value: JSONValue) {
        guard let line = value["line"]?.int, line > 0, let input = value["input"]?.string,
            let state = value["state"]?.string.flatMap(State.init(rawValue:))
        else { return nil }
        self.init(
            line: line, input: input, state: state, execution: value["execution"]?.string, value["error"]?.string)
    }
}

extension JobLogEntry.State {
    /// Nil for a line that was not executed to its end because of Ctrl-C: it is as if it had not begun.
    init?(_ ending: Ending) {
        switch ending.outcome {
        case .done, .ended(.completed): self = .completed
        // The work has completed, and must not be done again.
        case .eventsLost: self = .completed
        case .interrupted, .readerGone, .unreachable: return nil
        case .error(.cancelled): self = ending.isOfDaemon ? .interrupted : .cancelled
        case .error(.workFailed): self = ending.isOfDaemon ? .interrupted : .failed
        case .ended(.cancelled): self = .cancelled
        case .error(.timedOut), .ended(.timedOut), .timedOut: self = .timedOut
        case .propagated, .ended, .failed, .faulty: self = .failed
        case .error, .inputRefused, .usage: self = .refused
        }
    }
}

extension Ending {
    /// Whether an execution ended because the daemon did.
    fileprivate var isOfDaemon: Bool {
        guard case .error(let error) = message else { return false }
        return ["interrupted", "stopping"].contains(error.data?.value()["cause"]?.string ?? "")
    }

    /// The message in one line; nil without one.
    var text: String? {
        switch message {
        case .none: nil
        case .text(let text): brief ?? text
        case .error(let error), .skew(let error): error.message
        }
    }
}
