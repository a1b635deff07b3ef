internal import RxRecords
internal import RxJSON
internal import RxAction
internal import RxHost
internal import RxProtocol

/// An action with what one client may do with it, as of one generation of the registry.
final class KnownAction {
    let action: HostedAction
    /// The registry's.
    let generation: UInt64
    let allowed: Rights.Operations
    private let name: [UInt8]
    /// Nil if its work is not brief, or the client may not execute it.
    private let brief: BriefWork?

    // Used for each request without being retained for it; the properties above keep these alive.
    private let unretainedAction: Unmanaged<HostedAction>
    private let unretainedBrief: Unmanaged<BriefWork>?

    init(_ action: HostedAction, _ generation: UInt64, _ allowed: Rights.Operations) {
        self.action = action
        self.generation = generation
        self.allowed = allowed
        name = Array(action.name.utf8)
        brief = allowed.contains(.execute) ? action.briefWork : nil
        unretainedAction = .passUnretained(action)
        unretainedBrief = brief.map { .passUnretained($0) }
    }

    /// `notBrief` if the request names another action, the registry has changed, or the work is not brief.
    func executeBriefly(_ plain: PlainParameters, in host: Host, _ causes: Causes) -> BriefOutcome {
        guard let unretainedBrief, plain.action.equals(utf8: name), generation == host.generation else {
            return .notBrief
        }
        let input = plain.input?.rawJSON ?? .null
        return unretainedAction._withUnsafeGuaranteedRef { action in
            unretainedBrief._withUnsafeGuaranteedRef { host.executeBriefly(action, $0, input, causes) }
        }
    }
}
