internal import Rx

/// Calls back at once, and has nothing to end: for a wait that need not wait.
struct AtOnce: Disposable {
    init(_ callback: @Sendable () -> Void) { callback() }

    func dispose() {}
}
