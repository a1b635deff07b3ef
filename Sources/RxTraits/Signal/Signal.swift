public import Rx

/// A sequence of events for a user interface.
///
/// It never fails, delivers on the main thread, and shares one subscription to its source. A new subscriber gets only
/// later elements.
///
/// ```
/// source    --1--2--3--
/// Signal
///   first   ^-1--2--3--
///   second     ^-2--3--
/// ```
public typealias Signal<Element: RxSendable> = SharedSequence<SignalSharingStrategy, Element>

/// The strategy of signals: the main thread, and no element is replayed.
public struct SignalSharingStrategy: SharingStrategyProtocol {
    /// A scheduler of the main thread, or that of `SharingScheduler.mock`.
    public static var scheduler: any SchedulerType { SharingScheduler.make() }

    /// Shares one subscription to `source` while there are subscribers.
    public static func share<Element: RxSendable>(_ source: Observable<Element>) -> Observable<Element> {
        source.share(replay: 0, scope: .whileConnected)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// The sequence as a signal.
    public func asSignal() -> Signal<Element> { asSharedSequence() }

    /// Emits `resultSelector` of `object` and each element. Holds `object` weakly and completes at the first element
    /// after its deallocation.
    ///
    /// ```
    /// source                                        --1----2----3--|
    /// object                                        ^---------!
    /// withUnretained(object) { "\($0.name)\($1)" }  --o1---o2---|
    /// ```
    public func withUnretained<Object: AnyObject & RxSendable, Result: RxSendable>(
        _ obj: Object, resultSelector: @escaping MainClosure<Object, Element, Result>
    ) -> Signal<Result> {
        let signal = asSharedSequence()
        let confinement = Confinement.of(signal.confinement)
        return Signal(
            signal.source.withUnretained(obj, resultSelector: confinement.confine(resultSelector)), confinement)
    }

    /// Emits `object` with each element. Holds `object` weakly and completes at the first element after its
    /// deallocation.
    ///
    /// ```
    /// source                  --1----2----3--|
    /// object                  ^---------!
    /// withUnretained(object)  --o,1--o,2--|
    /// ```
    public func withUnretained<Object: AnyObject & RxSendable>(_ obj: Object) -> Signal<(Object, Element)> {
        let signal = asSharedSequence()
        return Signal(signal.source.withUnretained(obj), .of(signal.confinement))
    }
}
