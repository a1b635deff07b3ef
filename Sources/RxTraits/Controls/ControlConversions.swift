internal import Rx

// A control does not fail. If it does, a debug build stops, and in a release build the sequence completes.

extension ControlEvent {
    /// The events as a driver.
    public func asDriver() -> Driver<Element> { unfailingControl() }

    /// The events as a signal.
    public func asSignal() -> Signal<Element> { unfailingControl() }
}

extension ControlProperty {
    /// The values as a driver.
    public func asDriver() -> Driver<Element> { unfailingControl() }
}

extension ObservableType {
    fileprivate func unfailingControl<Strategy: SharingStrategyProtocol>() -> SharedSequence<Strategy, Element> {
        asSharedSequence(onErrorRecover: { error in
            assertionFailure("a control failed: \(error)")
            return .empty()
        })
    }
}
