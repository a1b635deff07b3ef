internal import RxHost

/// What a level says, as far as it takes to tell one value from another. No larger than a reference, since every
/// subscription keeps some.
enum LevelValue: Equatable {
    case executing(Bool)
    case enabled
    indirect case disabled(DisabledReason)

    init(_ enabled: Enabled) {
        if let reason = enabled.reason { self = .disabled(reason) } else { self = .enabled }
    }
}
