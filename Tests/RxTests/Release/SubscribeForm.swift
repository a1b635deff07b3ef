import Dispatch
import Rx
import RxTest
import Testing

/// One way to subscribe to a sequence, with closures that hold an object and call `onElement`.
struct SubscribeForm: Sendable, CustomTestStringConvertible {
    /// What the closures of a form do, and the sequence.
    struct Context: Sendable {
        let source: Observable<Int>
        let held: Held
        let onElement: @Sendable () -> Void

        func element() {
            held.use()
            onElement()
        }

        func end() { held.use() }

        /// The source with the closures of the context, for forms that take no closure.
        var holding: Observable<Int> { source.do(afterNext: { _ in element() }, onDispose: { end() }) }
        /// `holding` without errors.
        var safe: Observable<Int> { holding.catch { _ in .empty() } }
        var single: Single<Int> { source.take(1).asSingle() }
        var maybe: Maybe<Int> { source.take(1).asMaybe() }
        var completable: Completable { holding.ignoreElements().asCompletable() }
        var infallible: Infallible<Int> { source.asInfallible(onErrorFallbackTo: .empty()) }
    }

    /// As `ReleaseCoverageTests` finds it in the sources; then, if there are several with that name, which one.
    let testDescription: String
    private let subscribe: @Sendable (Context) -> any Disposable

    init(_ name: String, _ subscribe: @escaping @Sendable (Context) -> any Disposable) {
        testDescription = name
        self.subscribe = subscribe
    }

    func subscribe(
        _ source: Observable<Int>, _ held: Held, onElement: @escaping @Sendable () -> Void
    ) -> any Disposable {
        subscribe(Context(source: source, held: held, onElement: onElement))
    }

    /// An observer of one's own.
    fileprivate struct OwnObserver: ObserverType {
        let context: Context

        func on(_ event: Event<Int>) { if event.isStopEvent { context.end() } else { context.element() } }
    }

    /// Alive as long as the process.
    static let target = Held()

    static let all: [SubscribeForm] = observables + bindings + relays + traits
}

extension SubscribeForm {
    private static let observables: [SubscribeForm] = [
        SubscribeForm("subscribe(_:)") { c in
            c.source.subscribe { event in if event.isStopEvent { c.end() } else { c.element() } }
        },
        SubscribeForm("subscribe(_:) of an observer") { c in c.source.subscribe(OwnObserver(context: c)) },
        SubscribeForm("subscribe(_:) of an AnyObserver") { c in
            c.source.subscribe(
                AnyObserver { (event: Event<Int>) in if event.isStopEvent { c.end() } else { c.element() } })
        },
        SubscribeForm("subscribe(_:) of an AnyObserver of an observer") { c in
            c.source.subscribe(OwnObserver(context: c).asObserver())
        },
        SubscribeForm("subscribe(_:) of a mapped observer") { c in
            c.source.subscribe(OwnObserver(context: c).mapObserver { (element: Int) in element })
        },
        SubscribeForm("subscribe(onNext:onError:onCompleted:onDisposed:)") { c in
            c.source.subscribe(
                onNext: { _ in c.element() }, onError: { _ in c.end() }, onCompleted: { c.end() },
                onDisposed: { c.end() })
        },
        SubscribeForm("subscribe(onNext:onError:onCompleted:onDisposed:) with onDisposed only") { c in
            c.source.do(afterNext: { _ in c.onElement() }).subscribe(onError: { _ in }, onDisposed: { c.end() })
        },
        SubscribeForm("subscribe(onNext:onError:onCompleted:onDisposed:) with ends only") { c in
            c.source.do(afterNext: { _ in c.onElement() })
                .subscribe(onError: { _ in c.end() }, onCompleted: { c.end() })
        },
        SubscribeForm("subscribe(with:onNext:onError:onCompleted:onDisposed:)") { c in
            c.source.subscribe(
                with: target, onNext: { _, _ in c.element() }, onError: { _, _ in c.end() },
                onCompleted: { _ in c.end() }, onDisposed: { _ in c.end() })
        },
        SubscribeForm("connect()") { c in c.holding.publish().connect() },
    ]

    private static let bindings: [SubscribeForm] = [
        SubscribeForm("bind(onNext:)") { c in c.source.catch { _ in .empty() }.bind(onNext: { _ in c.element() }) },
        SubscribeForm("bind(with:onNext:)") { c in
            c.source.catch { _ in .empty() }.bind(with: target, onNext: { _, _ in c.element() })
        },
        SubscribeForm("bind(to:)") { c in c.source.bind(to: OwnObserver(context: c)) },
        SubscribeForm("bind(to:) of optional elements") { c in
            c.holding.bind(to: AnyObserver<Int?> { _ in c.end() })
        },
        SubscribeForm("bind(to:) of a binder") { c in
            c.safe.bind(to: Binder(target, scheduler: CurrentThreadScheduler.instance) { _, _ in c.end() })
        },
        SubscribeForm("bind(to:) of a function") { c in
            c.source.bind(to: { source in source.subscribe(OwnObserver(context: c)) })
        },
        SubscribeForm("bind(to:curriedArgument:)") { c in
            c.source.bind(
                to: { source in { context in source.subscribe(OwnObserver(context: context)) } }, curriedArgument: c)
        },
    ]

    private static let relays: [SubscribeForm] = [
        SubscribeForm("bind(to:) of a PublishRelay") { c in c.safe.bind(to: PublishRelay<Int>()) },
        SubscribeForm("bind(to:) of an optional PublishRelay") { c in c.safe.bind(to: PublishRelay<Int?>()) },
        SubscribeForm("bind(to:) of a BehaviorRelay") { c in c.safe.bind(to: BehaviorRelay<Int>(value: 0)) },
        SubscribeForm("bind(to:) of an optional BehaviorRelay") { c in c.safe.bind(to: BehaviorRelay<Int?>(value: 0)) },
        SubscribeForm("bind(to:) of a ReplayRelay") { c in c.safe.bind(to: ReplayRelay<Int>.create(bufferSize: 1)) },
        SubscribeForm("bind(to:) of an optional ReplayRelay") { c in
            c.safe.bind(to: ReplayRelay<Int?>.create(bufferSize: 1))
        },
    ]

    private static let traits: [SubscribeForm] = [
        SubscribeForm("Single.subscribe(onSuccess:onFailure:onDisposed:)") { c in
            c.single.subscribe(
                onSuccess: { _ in c.element() }, onFailure: { _ in c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("Single.subscribe(onSuccess:onFailure:onDisposed:) of first()") { c in
            c.source.first().subscribe(
                onSuccess: { _ in c.element() }, onFailure: { _ in c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("Single.subscribe(_:)") { c in c.single.subscribe { _ in c.element() } },
        SubscribeForm("Single.subscribe(with:onSuccess:onFailure:onDisposed:)") { c in
            c.single.subscribe(
                with: target, onSuccess: { _, _ in c.element() }, onFailure: { _, _ in c.end() },
                onDisposed: { _ in c.end() })
        },
        SubscribeForm("Maybe.subscribe(onSuccess:onError:onCompleted:onDisposed:)") { c in
            c.maybe.subscribe(
                onSuccess: { _ in c.element() }, onError: { _ in c.end() }, onCompleted: { c.end() },
                onDisposed: { c.end() })
        },
        SubscribeForm("Maybe.subscribe(_:)") { c in c.maybe.subscribe { _ in c.element() } },
        SubscribeForm("Maybe.subscribe(with:onSuccess:onError:onCompleted:onDisposed:)") { c in
            c.maybe.subscribe(
                with: target, onSuccess: { _, _ in c.element() }, onError: { _, _ in c.end() },
                onCompleted: { _ in c.end() }, onDisposed: { _ in c.end() })
        },
        SubscribeForm("Completable.subscribe(onCompleted:onError:onDisposed:)") { c in
            c.completable.subscribe(onCompleted: { c.end() }, onError: { _ in c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("Completable.subscribe(_:)") { c in c.completable.subscribe { _ in c.end() } },
        SubscribeForm("Completable.subscribe(with:onCompleted:onError:onDisposed:)") { c in
            c.completable.subscribe(
                with: target, onCompleted: { _ in c.end() }, onError: { _, _ in c.end() }, onDisposed: { _ in c.end() })
        },
        SubscribeForm("Infallible.subscribe(onNext:onCompleted:onDisposed:)") { c in
            c.infallible.subscribe(
                onNext: { _ in c.element() }, onCompleted: { c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("Infallible.subscribe(_:)") { c in
            c.infallible.subscribe { (event: Event<Int>) in if event.isStopEvent { c.end() } else { c.element() } }
        },
        SubscribeForm("Infallible.subscribe(_:) of an observer") { c in
            c.infallible.subscribe(OwnObserver(context: c))
        },
        SubscribeForm("Infallible.subscribe(with:onNext:onCompleted:onDisposed:)") { c in
            c.infallible.subscribe(
                with: target, onNext: { _, _ in c.element() }, onCompleted: { _ in c.end() },
                onDisposed: { _ in c.end() })
        },
        SubscribeForm("Infallible.bind(onNext:)") { c in c.infallible.bind(onNext: { _ in c.element() }) },
        SubscribeForm("Infallible.bind(with:onNext:)") { c in
            c.infallible.bind(with: target, onNext: { _, _ in c.element() })
        },
        SubscribeForm("Infallible.bind(to:)") { c in c.infallible.bind(to: OwnObserver(context: c)) },
        SubscribeForm("Infallible.bind(to:) of several observers") { c in
            c.infallible.bind(to: OwnObserver(context: c), OwnObserver(context: c))
        },
        SubscribeForm("Infallible.bind(to:) of optional elements") { c in
            c.infallible.bind(to: AnyObserver<Int?> { event in if event.isStopEvent { c.end() } else { c.element() } })
        },
        SubscribeForm("Infallible.bind(to:) of a function") { c in
            c.infallible.bind(to: { source in source.subscribe(OwnObserver(context: c)) })
        },
        SubscribeForm("Infallible.bind(to:curriedArgument:)") { c in
            c.infallible.bind(
                to: { source in { context in source.subscribe(OwnObserver(context: context)) } }, curriedArgument: c)
        },
    ]
}
