internal import ArgumentParser
internal import RxClient
internal import RxProtocol

/// `--channel a,b`
struct ChannelList: ExpressibleByArgument {
    static let names =
        [Channel.elements, .errors, .executing, .enabled, .executions, .state, .firings, .lag].map(\.rawValue)
        + ["reconnect"]

    let channels: [Channel]
    /// Whether `reconnect` is among them, whose records rxctl makes itself.
    let hasReconnections: Bool

    init?(argument: String) {
        var channels: [Channel] = []
        var hasReconnections = false
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            if name == "reconnect" {
                hasReconnections = true
                continue
            }
            guard let channel = Channel(rawValue: String(name)), channel != .end else { return nil }
            channels.append(channel)
        }
        self.channels = channels
        self.hasReconnections = hasReconnections
    }
}

/// `--from`: a word, a time, a cursor, or an execution's id.
struct StartArgument: ExpressibleByArgument {
    let start: SubscribeRequest.Start

    init?(argument: String) {
        switch argument {
        case "now": start = .now
        case "last": start = .last
        case "start": start = .start
        case "execution": start = .executing
        case _:
            if let id = ExecutionArgument.id(argument) {
                start = .execution(id)
            } else if let time = try? PastTime(argument) {
                start = .time(time.timestamp)
            } else if CursorText.isCursor(argument), !CursorText.resemblesTime(argument) {
                start = .cursor(argument)
            } else {
                return nil
            }
        }
    }
}

/// `--overflow`
struct OverflowArgument: ExpressibleByArgument {
    static let names = SubscribeRequest.Overflow.allCases.map(\.rawValue)

    let overflow: SubscribeRequest.Overflow

    init?(argument: String) {
        guard let overflow = SubscribeRequest.Overflow(rawValue: argument) else { return nil }
        self.overflow = overflow
    }
}

extension SubscribeRequest.Target {
    /// Names of actions, or ids of executions; nil for some of each.
    init?(names: [String]) {
        let ids = names.compactMap(ExecutionArgument.id)
        if ids.isEmpty {
            self = .action(names)
        } else if ids.count == names.count {
            self = .execution(ids)
        } else {
            return nil
        }
    }
}
