internal import RxHost
internal import RxJSON

/// An action with what one client may do with it, as of one generation of the registry.
final class KnownAction {
    let target: ExecutionTarget
    /// The registry's.
    let generation: UInt64
    let allowed: Rights.Operations
    private let name: [UInt8]

    var action: HostedAction { target.action }

    init(_ action: HostedAction, _ generation: UInt64, _ allowed: Rights.Operations) {
        target = ExecutionTarget(action)
        self.generation = generation
        self.allowed = allowed
        name = Array(action.name.utf8)
    }

    func isNamed(_ name: JSONView) -> Bool { name.equals(utf8: self.name) }
}
