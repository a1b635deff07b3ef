internal import RxJq
internal import RxRecords
internal import Rx
internal import RxHost
internal import RxJSON

/// Executes nothing and merges nothing: the record has the results.
final class ReplayHost: JqReactorHost {
    private let count = Locked(0)

    /// The number of executions that would have started.
    var executions: Int { count.withLock { $0 } }

    func execute(
        _: String, input _: RawJSON, causes _: Causes, onElement _: @escaping @Sendable (RawJSON) -> Void,
        onEnd: @escaping @Sendable (RawJSON?) -> Void
    ) -> any Disposable {
        count.withLock { $0 += 1 }
        onEnd(nil)
        return Disposables.create()
    }

    func elements(of _: String, _: @escaping @Sendable (RawJSON) -> Void) -> any Disposable { Disposables.create() }
    func states(of _: String, _: @escaping @Sendable (RawJSON) -> Void) -> any Disposable { Disposables.create() }
}
