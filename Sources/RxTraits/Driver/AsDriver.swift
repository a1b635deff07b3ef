public import Rx

extension ObservableConvertibleType {
    /// The sequence as a driver. An error becomes `onErrorJustReturn` and completion.
    ///
    /// ```
    /// source                          --1--2--#
    /// asDriver(onErrorJustReturn: 0)  --1--2--(0|)
    /// ```
    public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
        asSharedSequence(onErrorJustReturn: onErrorJustReturn)
    }

    /// The sequence as a driver. After an error, `onErrorDriveWith` continues.
    ///
    /// ```
    /// source                             --1--#
    /// other                                   -2-|
    /// asDriver(onErrorDriveWith: other)  --1---2-|
    /// ```
    public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
        asSharedSequence(onErrorDriveWith: onErrorDriveWith)
    }

    /// The sequence as a driver. After an error, the driver that `onErrorRecover` returns for it continues.
    ///
    /// ```
    /// source                           --1--#
    /// asDriver { _ in .from([7, 8]) }  --1--(7 8|)
    /// ```
    public func asDriver(
        onErrorRecover: @escaping MainClosure<any Error, Driver<Element>>
    ) -> Driver<Element> {
        asSharedSequence(onErrorRecover: onErrorRecover)
    }
}

extension InfallibleType {
    /// The sequence as a driver.
    public func asDriver() -> Driver<Element> { unfailing() }
}

extension BehaviorRelay {
    /// The relay as a driver: the current value, then every accepted element, on the main thread.
    public func asDriver() -> Driver<Element> { unfailing() }
}

extension ReplayRelay {
    /// The relay as a driver: the stored elements, then every accepted one, on the main thread.
    public func asDriver() -> Driver<Element> { unfailing() }
}
