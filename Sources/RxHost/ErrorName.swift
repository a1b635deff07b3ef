public import RxRecords

/// The stable name of an error of an execution, or of a refusal: the same in a response, in an event, in a record, and
/// for a reactor's rule. The protocol gives each name a number and facts.
public enum ErrorName: String, Sendable, CaseIterable {
    case invalidParams, internalError
    case workFailed, notEnabled, queueFull, timedOut, cancelled, notFound, limitReached, shuttingDown
}

extension ExecutionError {
    /// The name of the error.
    public var name: ErrorName {
        switch self {
        case .failed, .interrupted: .workFailed
        case .timedOut: .timedOut
        case .cancelled, .superseded, .stopped, .postponed: .cancelled
        }
    }
}

extension ExecutionRefusal {
    /// The name of the error.
    public var name: ErrorName {
        switch self {
        case .input, .keyReused, .cannotSchedule: .invalidParams
        case .notEnabled: .notEnabled
        case .queueFull: .queueFull
        case .tooManyGroups, .tooManyKeys, .tooManyKeysOfUser, .tooManyScheduled, .tooManyScheduledOfUser,
            .tooManyAwaited, .tooManyBytesOfUser:
            .limitReached
        case .stopping: .shuttingDown
        }
    }
}

extension DispatchRefusal {
    /// The name of the error.
    public var name: ErrorName {
        switch self {
        case .input: .invalidParams
        case .failed: .workFailed
        case .refused: .notEnabled
        case .notKept: .internalError
        case .full, .tooManyBytes: .limitReached
        case .stopping: .shuttingDown
        }
    }
}
