package import Rx

extension EventLog {
    /// Calls `wake`, on any thread and outside of any lock, whenever there is more to read: for readers that read at
    /// their own pace with `nextPortion` and never follow `drain`.
    package func addTail(_ wake: @escaping @Sendable () -> Void) -> any Disposable {
        let number = update { $0.addTail(wake) }
        return Disposables.create { [self] in update { $0.removeTail(number) } }
    }
}
