extension ObservableConvertibleType {
    /// The sequence without its error, in whose place come `element` and the end.
    ///
    /// ```
    /// source                            --1--2--x
    /// asInfallible(onErrorJustReturn: 0) --1--2--0|
    /// ```
    public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(asObservable().catchAndReturn(element))
    }

    /// The sequence without its error, in whose place comes `infallible`.
    ///
    /// ```
    /// source                               --1--x
    /// fallback                                  -2-|
    /// asInfallible(onErrorFallbackTo: …)   --1---2-|
    /// ```
    public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
        Infallible(asObservable().catch { _ in infallible.source })
    }

    /// The sequence without its error, in whose place comes what `onErrorRecover` makes of it.
    ///
    /// ```
    /// source                               --1--x
    /// asInfallible { _ in .of(7, 8) }      --1--78|
    /// ```
    public func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(asObservable().catch { onErrorRecover($0).source })
    }
}
