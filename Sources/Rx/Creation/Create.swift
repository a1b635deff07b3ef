extension ObservableType {
    /// A sequence whose closure runs for each subscriber and returns a disposable that stops its work.
    ///
    /// Grammar: `next* (completed | error)?`. Events that the closure sends after an end or after disposal are dropped.
    ///
    /// ```
    /// create { $0.onNext(1); $0.onCompleted(); … }  (1|)
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        AnonymousObservable(subscribe)
    }
}
