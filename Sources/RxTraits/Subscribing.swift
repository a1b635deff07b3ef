internal import Rx

// What `drive` and `emit` have in common.

extension SharedSequence {
    func subscribe(
        onNext: MainClosure<Element, Void>?, onCompleted: MainClosure<Void>?,
        onDisposed: (@Sendable () -> Void)?
    ) -> any Disposable {
        let confinement = Confinement.of(confinement)
        return source.subscribe(
            onNext: confinement.confine(onNext), onCompleted: confinement.confine(onCompleted), onDisposed: onDisposed)
    }

    func subscribe<Object: AnyObject & RxSendable>(
        with object: Object, onNext: MainClosure<Object, Element, Void>?,
        onCompleted: MainClosure<Object, Void>?, onDisposed: (@Sendable (Object) -> Void)?
    ) -> any Disposable {
        subscribe(
            onNext: { [weak object] element in
                guard let object else { return }
                onNext?(object, element)
            },
            onCompleted: { [weak object] in
                guard let object else { return }
                onCompleted?(object)
            },
            onDisposed: { [weak object] in
                guard let object else { return }
                onDisposed?(object)
            }
        )
    }
}

extension Observable {
    func subscribe<Observer: ObserverType>(to observers: [Observer]) -> any Disposable
    where Observer.Element == Element {
        if observers.count == 1 { return subscribe(observers[0]) }
        return subscribe { event in for observer in observers { observer.on(event) } }
    }

    func subscribe<Observer: ObserverType>(toOptional observers: [Observer]) -> any Disposable
    where Observer.Element == Element? {
        subscribe { event in
            let event = event.map { $0 as Element? }
            for observer in observers { observer.on(event) }
        }
    }
}
