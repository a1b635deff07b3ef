public import Rx

/// The scheduler of a shared sequence and the way in which it is shared.
///
/// The closures of a shared sequence's operators are `@MainActor`, so the scheduler must run on the main thread. With
/// another scheduler, such a closure traps; operators without a closure work.
#if Migration
    @preconcurrency
#endif
public protocol SharingStrategyProtocol: SendableMetatype {
    /// The scheduler on which the events of the sequence are delivered.
    static var scheduler: any SchedulerType { get }

    /// Returns a sequence whose subscribers share one subscription to `source`.
    static func share<Element: RxSendable>(_ source: Observable<Element>) -> Observable<Element>
}
