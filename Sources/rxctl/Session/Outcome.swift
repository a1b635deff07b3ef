internal import RxClient
internal import RxProtocol

/// How a command ended.
enum Outcome: Equatable {
    case done
    /// The daemon answered, or the execution ended, with this error.
    case error(ErrorCode)
    /// A stream ended for this reason.
    case ended(EndReason)
    /// INPUT or PARAMS were refused here: no JSON, or not readable.
    case inputRefused
    /// The options do not go with what the name turned out to be.
    case usage
    case unreachable
    /// With `--strict`.
    case eventsLost
    /// `--timeout` of rxctl itself.
    case timedOut
    case interrupted
    case readerGone
    /// With `--propagate`: the status of the command that the action is.
    case propagated(Int32)
    /// A fault that has no name of its own, such as a full disk behind stdout.
    case failed

    /// The one place where outcomes become exit codes.
    var exitStatus: Int32 {
        switch self {
        case .done, .ended(.completed), .ended(.unsubscribed):
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
