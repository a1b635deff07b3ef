/// The observable made of a closure that subscribes an observer: `create`, and clients' own `ObservableType`s.
final class AnonymousObservable<Element: Sendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let body: @Sendable (AnyObserver<Element>) -> any Disposable

    init(_ body: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) {
        self.body = body
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        // The closure may not keep the grammar; this sink does.
        let sink = Forward(stage)
        stage.attach(sink)
        sink.attach(DisposeBase.from(body(AnyObserver(sink))))
    }
}
