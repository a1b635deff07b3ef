package import Rx
internal import RxHost
package import RxJSON
package import RxRecords

/// The parts of its host that a jq reactor uses. Each closure is called on any thread, in one call at a time.
package protocol JqReactorHost: AnyObject, Sendable {
    /// Executes an action for a rule, which is the first of the causes. `onEnd` is called once, last, with the failure
    /// if there was one.
    ///
    /// - Returns: a disposable that cancels the execution.
    func execute(
        _ action: String, input: RawJSON, causes: Causes, onElement: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> any Disposable

    /// Subscribes to all future elements of an action, whoever executes it.
    func elements(of action: String, _ onElement: @escaping @Sendable (RawJSON) -> Void) -> any Disposable

    /// Subscribes to the state of another reactor: the current one, then each change. Rapid changes may be merged.
    func states(of reactor: String, _ onState: @escaping @Sendable (RawJSON) -> Void) -> any Disposable
}
