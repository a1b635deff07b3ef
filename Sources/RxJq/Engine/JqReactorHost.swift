package import RxRecords
internal import RxHost
package import RxJSON

/// What a reactor of jq programs uses of its host. Each closure is called on any thread, one call after the other.
package protocol JqReactorHost: AnyObject, Sendable {
    typealias Cancel = @Sendable () -> Void

    /// Executes an action on behalf of who dispatched. `onEnd` is called once and last, with what went wrong.
    func execute(
        _ action: String, input: RawJSON, by: Origin, onElement: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> Cancel

    /// All elements of an action from now on, whoever executes it.
    func elements(of action: String, _ onElement: @escaping @Sendable (RawJSON) -> Void) -> Cancel

    /// The state of another reactor, now and after each change; of many changes perhaps only the last.
    func states(of reactor: String, _ onState: @escaping @Sendable (RawJSON) -> Void) -> Cancel
}
