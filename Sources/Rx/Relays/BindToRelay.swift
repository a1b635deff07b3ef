// Binds sequences to relays, which accept only elements. Completion is not passed on. An error is a programming error:
// it stops a debug build and ends the binding in a release build.

extension ObservableType {
    /// Passes the elements to these relays. Ignores completion; an error is a programming error.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Passes the elements to these relays of optional elements. Ignores completion; an error is a programming error.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Passes the elements to these relays. Ignores completion; an error is a programming error.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Passes the elements to these relays of optional elements. Ignores completion; an error is a programming error.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Passes the elements to these relays. Ignores completion; an error is a programming error.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Passes the elements to these relays of optional elements. Ignores completion; an error is a programming error.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    func bindElements(_ onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: { assertionFailure("what is bound does not fail: \($0)") })
    }
}
