internal import CAllocations
internal import Rx

/// Bytes per live subscription of `subject.map { … }.subscribe(onNext:)`: all that stays allocated, malloc's own part
/// and that of the list of subscriptions included.
func bytesPerSubscription() -> Double {
    let count = 100_000
    let sum = Sum()
    let subject = PublishSubject<Int>()
    var subscriptions: [any Disposable] = []
    subscriptions.reserveCapacity(count)
    let before = allocated_bytes()
    for _ in 0..<count {
        subscriptions.append(subject.map { $0 &+ 1 }.subscribe(onNext: { sum.value &+= $0 }))
    }
    let bytes = allocated_bytes() - before
    for subscription in subscriptions { subscription.dispose() }
    return Double(bytes) / Double(count)
}
