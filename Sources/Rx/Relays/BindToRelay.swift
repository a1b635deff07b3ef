// A relay takes elements only: the end of a sequence that is bound to one is not handed on, and an error is a programming
// error. It stops a debug build; in a release build the binding ends.

extension ObservableType {
    /// Hands the elements to these relays.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands the elements to these relays of optional elements.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands the elements to these relays.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands the elements to these relays of optional elements.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands the elements to these relays.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    /// Hands the elements to these relays of optional elements.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bindElements { element in for relay in relays { relay.accept(element) } }
    }

    func bindElements(_ onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext, onError: { assertionFailure("what is bound does not fail: \($0)") })
    }
}
