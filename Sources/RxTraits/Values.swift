public import Rx

extension SharedSequenceConvertibleType {
    /// Subscribes now and returns the elements as an asynchronous sequence that does not throw and can be iterated
    /// once.
    ///
    /// Any number of elements wait for the reader; `asObservable().values(buffering:)` has a limit. Canceling the
    /// iterating task or releasing the returned sequence disposes the subscription.
    ///
    ///     for await element in driver.values { … }
    #if Migration
        @preconcurrency
    #endif
    @MainActor public var values: AsyncStream<Element> {
        AsyncStream { continuation in
            let subscription = asObservable().subscribe(
                onNext: { continuation.yield($0) }, onDisposed: { continuation.finish() })
            continuation.onTermination = { _ in subscription.dispose() }
        }
    }
}
