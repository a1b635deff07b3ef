internal import Rx

/// Returns what `ask` passes to its argument, which is to be called once, on any thread.
///
/// The value goes through a lock, which ThreadSanitizer knows. It does not see how the runtime hands over the value of
/// a continuation that is resumed before its task waits.
package func answer<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    let given = Locked<Value?>(nil)
    await withCheckedContinuation { continuation in
        ask { value in
            given.withLock { $0 = value }
            continuation.resume()
        }
    }
    return given.withLock { $0! }
}
