/// An observable whose closure subscribes an observer: `create`, and `ObservableType`s of clients.
final class AnonymousObservable<Element: RxSendable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let body: @Sendable (AnyObserver<Element>) -> any Disposable

    init(_ body: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) {
        self.body = body
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        // The closure may violate the grammar; this sink enforces it.
        let sink = Forward(stage)
        stage.attach(sink)
        sink.attach(DisposeBase.from(body(AnyObserver(sink))))
    }
}
