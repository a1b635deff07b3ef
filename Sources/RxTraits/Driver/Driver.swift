public import Rx

/// A sequence of state for a user interface.
///
/// It never fails, delivers on the main thread, and shares one subscription to its source. A new subscriber gets the
/// latest element at once, while others are subscribed.
///
/// ```
/// source    --1------2--3--
/// Driver
///   first   ^-1------2--3--
///   second      (^1)-2--3--
/// ```
public typealias Driver<Element: RxSendable> = SharedSequence<DriverSharingStrategy, Element>

/// The strategy of drivers: the main thread, and the latest element is replayed.
public struct DriverSharingStrategy: SharingStrategyProtocol {
    /// A scheduler of the main thread, or that of `SharingScheduler.mock`.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Shares one subscription to `source` while there are subscribers, and replays the latest element.
    public static func share<Element: RxSendable>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 1, scope: .whileConnected)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
    /// The sequence as a driver.
    public func asDriver() -> Driver<Element> { asSharedSequence() }
}
