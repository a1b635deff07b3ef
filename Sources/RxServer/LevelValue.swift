internal import RxHost

/// The value of a level, for comparison. No larger than a reference, since every subscription keeps some.
enum LevelValue: Equatable {
    case executing(Bool)
    case enabled
    indirect case disabled(DisabledReason)

    init(_ enabled: Enabled) {
        if let reason = enabled.reason { self = .disabled(reason) } else { self = .enabled }
    }
}
