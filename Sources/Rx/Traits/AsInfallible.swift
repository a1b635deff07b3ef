extension ObservableConvertibleType {
    /// Replaces an error with `element` and completion.
    ///
    /// ```
    /// source                              --1--2--#
    /// asInfallible(onErrorJustReturn: 0)  --1--2--(0|)
    /// ```
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// Continues with `infallible` after an error.
    ///
    /// ```
    /// source                                  --1--#
    /// other                                        -2-|
    /// asInfallible(onErrorFallbackTo: other)  --1---2-|
    /// ```
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// Continues after an error with the sequence that `onErrorRecover` returns for it.
    ///
    /// ```
    /// source                           --1--#
    /// asInfallible { _ in .of(7, 8) }  --1--(7 8|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
