public import Rx

extension ObservableConvertibleType {
    /// The sequence as a signal. An error becomes `onErrorJustReturn` and completion.
    ///
    /// ```
    /// source                          --1--2--#
    /// asSignal(onErrorJustReturn: 0)  --1--2--(0|)
    /// ```
    public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// The sequence as a signal. After an error, `onErrorSignalWith` continues.
    ///
    /// ```
    /// source                              --1--#
    /// other                                    -2-|
    /// asSignal(onErrorSignalWith: other)  --1---2-|
    /// ```
    public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
        asSharedSequence(onErrorDriveWith: onErrorSignalWith)
    }

    /// The sequence as a signal. After an error, the signal that `onErrorRecover` returns for it continues.
    ///
    /// ```
    /// source                           --1--#
    /// asSignal { _ in .from([7, 8]) }  --1--(7 8|)
    /// ```
    public func asSignal(
        onErrorRecover: @escaping MainClosure<any Error, Signal<Element>>
    ) -> Signal<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension InfallibleType {
    /// The sequence as a signal.
    public func asSignal() -> Signal<Element> { unfailing() }
}

extension PublishRelay {
    /// The relay as a signal: every accepted element, on the main thread.
    public func asSignal() -> Signal<Element> { unfailing() }
}
