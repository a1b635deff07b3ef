public import Rx

/// A sequence that never fails, delivers its events on its strategy's scheduler, and shares one subscription to its
/// source among all subscribers. Grammar: `next* completed?`.
///
/// `Driver` and `Signal` are shared sequences with the two strategies for user interfaces.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: RxSendable>:
    SharedSequenceConvertibleType, Sendable
{
    let source: Observable<Element>
    let confinement: Confinement

    /// Shares `source`, which must not fail and must deliver on the strategy's scheduler.
    init(_ source: Observable<Element>, _ confinement: Confinement = .current) {
        self.init(raw: SharingStrategy.share(source), confinement)
    }

    /// Wraps a sequence that needs no sharing, because it does no work.
    init(raw source: Observable<Element>, _ confinement: Confinement = .current) {
        self.source = source
        self.confinement = confinement
    }

    /// The sequence as an observable that delivers its events on the strategy's scheduler.
    public func asObservable() -> Observable<Element> { source }

    /// Returns this sequence.
    public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

/// A type that can be converted to a shared sequence.
#if Migration
    @preconcurrency
#endif
public protocol SharedSequenceConvertibleType<SharingStrategy, Element>: ObservableConvertibleType {
    /// The scheduler of the sequence and the way in which it is shared.
    associatedtype SharingStrategy: SharingStrategyProtocol

    /// Returns the sequence as a `SharedSequence`.
    func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
    /// The sequence as an observable.
    public func asObservable() -> Observable<Element> { asSharedSequence().source }
}
