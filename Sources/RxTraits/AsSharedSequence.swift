public import Rx

// From a sequence that may fail to one that does not. The events go to the strategy's scheduler first, so the error is
// handled there.

extension ObservableConvertibleType {
    /// Delivers the sequence on the strategy's scheduler and replaces an error by `onErrorJustReturn` and completion.
    ///
    /// ```
    /// source                                  --1--2--#
    /// asSharedSequence(onErrorJustReturn: 0)  --1--2--(0|)
    /// ```
    ///
    /// - Parameters:
    ///   - sharingStrategy: the strategy of the result.
    ///   - onErrorJustReturn: the last element in case of an error.
    public func asSharedSequence<Strategy: SharingStrategyProtocol>(
        sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
    ) -> SharedSequence<Strategy, Element> {
        SharedSequence(asObservable().observe(on: Strategy.scheduler).catchAndReturn(onErrorJustReturn))
    }

    /// Delivers the sequence on the strategy's scheduler and continues with `onErrorDriveWith` after an error.
    ///
    /// ```
    /// source                                     --1--#
    /// other                                           -2-|
    /// asSharedSequence(onErrorDriveWith: other)  --1---2-|
    /// ```
    ///
    /// - Parameters:
    ///   - sharingStrategy: the strategy of the result.
    ///   - onErrorDriveWith: what follows an error.
    public func asSharedSequence<Strategy: SharingStrategyProtocol>(
        sharingStrategy: Strategy.Type = Strategy.self, onErrorDriveWith: SharedSequence<Strategy, Element>
    ) -> SharedSequence<Strategy, Element> {
        SharedSequence(
            asObservable().observe(on: Strategy.scheduler).catch { _ in onErrorDriveWith.source },
            .of(onErrorDriveWith.confinement))
    }

    /// Delivers the sequence on the strategy's scheduler and continues after an error with the sequence that
    /// `onErrorRecover` returns for it.
    ///
    /// ```
    /// source                                   --1--#
    /// asSharedSequence { _ in .from([7, 8]) }  --1--(7 8|)
    /// ```
    ///
    /// - Parameters:
    ///   - sharingStrategy: the strategy of the result.
    ///   - onErrorRecover: returns what follows the error; called on the main thread.
    public func asSharedSequence<Strategy: SharingStrategyProtocol>(
        sharingStrategy: Strategy.Type = Strategy.self,
        onErrorRecover: @escaping MainClosure<any Error, SharedSequence<Strategy, Element>>
    ) -> SharedSequence<Strategy, Element> {
        let confinement = Confinement.current
        let recover = confinement.confine(onErrorRecover)
        return SharedSequence(
            asObservable().observe(on: Strategy.scheduler).catch { recover($0).source }, confinement)
    }
}

extension ObservableConvertibleType {
    /// The sequence on the strategy's scheduler; it must not fail.
    func unfailing<Strategy: SharingStrategyProtocol>() -> SharedSequence<Strategy, Element> {
        SharedSequence(asObservable().observe(on: Strategy.scheduler))
    }
}
