internal import RxClient
internal import RxProtocol

/// How a command ended.
enum Outcome: Equatable {
    case done
    /// The daemon answered, or the execution ended, with this error.
    case error(ErrorCode)
    /// A stream ended for this reason.
    case ended(EndReason)
    /// rxctl refused INPUT or PARAMS: not JSON, or not readable.
    case inputRefused
    /// The options do not apply to the kind of thing that has this name.
    case usage
    case unreachable
    /// With `--strict`.
    case eventsLost
    /// `--timeout` of rxctl itself.
    case timedOut
    case interrupted
    case readerGone
    /// With `--propagate`: the exit status of the action's command.
    case propagated(Int32)
    /// The configuration has faults, with `reload --dry-run`: as `rxd --check` exits.
    case faulty
    /// Any other failure, such as a full disk behind stdout.
    case failed

    /// The exit code; the only place that assigns one.
    var exitStatus: Int32 {
        switch self {
        case .done, .ended(.completed), .ended(.unsubscribed), .ended(.caughtUp):
            0
        case .failed, .ended(.failed), .ended(.cancelled),
            .error(.workFailed), .error(.cancelled), .error(.internalError), .error(.duplicateSubscription):
            1
        case .inputRefused, .error(.parseError), .error(.invalidRequest), .error(.invalidParams), .error(.tooLarge):
            2
        case .error(.notEnabled), .error(.queueFull), .error(.limitReached), .error(.shuttingDown), .ended(.limit):
            3
        case .error(.forbidden), .ended(.revoked):
            4
        case .error(.notFound), .error(.methodNotFound), .error(.featureMissing), .ended(.removed):
            5
        case .usage:
            64
        case .unreachable, .ended(.shutdown):
            69
        case .eventsLost, .error(.cursorExpired):
            75
        case .faulty:
            78
        case .timedOut, .error(.timedOut), .ended(.timedOut):
            124
        case .interrupted:
            130
        case .readerGone:
            141
        case .propagated(let status):
            status
        }
    }
}
