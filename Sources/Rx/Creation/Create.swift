extension ObservableType {
    /// A sequence made by a closure, which is run anew for each subscriber and returns what stops its work.
    ///
    /// The closure may misbehave: what it sends after an end, or after disposal, is dropped.
    ///
    /// ```
    /// create { $0.onNext(1); $0.onCompleted(); … }  (1|)
    /// ```
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        AnonymousObservable(subscribe)
    }
}
