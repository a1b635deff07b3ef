import Rx
import RxTest

/// A source as a client may write it: it passes on the events of a hot or cold observable and does not dispose itself
/// at its end, as the operators of the library do. Only an operator can release it.
final class Unhidden<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    private let source: TestableObservable<Element>

    init(_ source: TestableObservable<Element>) {
        self.source = source
        super.init()
    }

    override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        source.subscribe(observer)
    }
}
