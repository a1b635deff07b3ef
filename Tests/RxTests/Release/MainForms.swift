import Rx

private let onMain = ConcurrentMainScheduler.instance

/// The ways to subscribe to sequences on the main thread, where these forms must run; the scheduler then runs
/// everything at once.
extension SubscribeForm {
    static let main = mainObservables + mainTraits + mainInfallibles

    private static let mainObservables: [SubscribeForm] = [
        SubscribeForm("MainObservable.subscribe(_:)") { c in
            c.source.observe(on: onMain).subscribe { event in if event.isStopEvent { c.end() } else { c.element() } }
        },
        SubscribeForm("MainObservable.subscribe(_:) of an observer") { c in
            c.source.observe(on: onMain).subscribe(
                AnyObserver { event in if event.isStopEvent { c.end() } else { c.element() } })
        },
        SubscribeForm("MainObservable.subscribe(onNext:onError:onCompleted:onDisposed:)") { c in
            c.source.observe(on: onMain).subscribe(
                onNext: { _ in c.element() }, onError: { _ in c.end() }, onCompleted: { c.end() },
                onDisposed: { c.end() })
        },
        SubscribeForm("MainObservable.subscribe(with:onNext:onError:onCompleted:onDisposed:)") { c in
            c.source.observe(on: onMain).subscribe(
                with: target, onNext: { _, _ in c.element() }, onError: { _, _ in c.end() },
                onCompleted: { _ in c.end() }, onDisposed: { _ in c.end() })
        },
        SubscribeForm("MainObservable.bind(onNext:)") { c in
            c.source.catch { _ in .empty() }.observe(on: onMain).bind(onNext: { _ in c.element() })
        },
        SubscribeForm("MainObservable.bind(with:onNext:)") { c in
            c.source.catch { _ in .empty() }.observe(on: onMain).bind(with: target, onNext: { _, _ in c.element() })
        },
    ]

    private static let mainTraits: [SubscribeForm] = [
        SubscribeForm("MainSingle.subscribe(_:)") { c in c.single.observe(on: onMain).subscribe { _ in c.element() } },
        SubscribeForm("MainSingle.subscribe(onSuccess:onFailure:onDisposed:)") { c in
            c.single.observe(on: onMain).subscribe(
                onSuccess: { _ in c.element() }, onFailure: { _ in c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("MainSingle.subscribe(with:onSuccess:onFailure:onDisposed:)") { c in
            c.single.observe(on: onMain).subscribe(
                with: target, onSuccess: { _, _ in c.element() }, onFailure: { _, _ in c.end() },
                onDisposed: { _ in c.end() })
        },
        SubscribeForm("MainMaybe.subscribe(_:)") { c in c.maybe.observe(on: onMain).subscribe { _ in c.element() } },
        SubscribeForm("MainMaybe.subscribe(onSuccess:onError:onCompleted:onDisposed:)") { c in
            c.maybe.observe(on: onMain).subscribe(
                onSuccess: { _ in c.element() }, onError: { _ in c.end() }, onCompleted: { c.end() },
                onDisposed: { c.end() })
        },
        SubscribeForm("MainMaybe.subscribe(with:onSuccess:onError:onCompleted:onDisposed:)") { c in
            c.maybe.observe(on: onMain).subscribe(
                with: target, onSuccess: { _, _ in c.element() }, onError: { _, _ in c.end() },
                onCompleted: { _ in c.end() }, onDisposed: { _ in c.end() })
        },
        SubscribeForm("MainCompletable.subscribe(_:)") { c in
            c.completable.observe(on: onMain).subscribe { _ in c.end() }
        },
        SubscribeForm("MainCompletable.subscribe(onCompleted:onError:onDisposed:)") { c in
            c.completable.observe(on: onMain).subscribe(
                onCompleted: { c.end() }, onError: { _ in c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("MainCompletable.subscribe(with:onCompleted:onError:onDisposed:)") { c in
            c.completable.observe(on: onMain).subscribe(
                with: target, onCompleted: { _ in c.end() }, onError: { _, _ in c.end() }, onDisposed: { _ in c.end() })
        },
    ]

    private static let mainInfallibles: [SubscribeForm] = [
        SubscribeForm("MainInfallible.subscribe(_:)") { c in
            c.infallible.observe(on: onMain).subscribe { (event: Event<Int>) in
                if event.isStopEvent { c.end() } else { c.element() }
            }
        },
        SubscribeForm("MainInfallible.subscribe(onNext:onCompleted:onDisposed:)") { c in
            c.infallible.observe(on: onMain).subscribe(
                onNext: { _ in c.element() }, onCompleted: { c.end() }, onDisposed: { c.end() })
        },
        SubscribeForm("MainInfallible.subscribe(with:onNext:onCompleted:onDisposed:)") { c in
            c.infallible.observe(on: onMain).subscribe(
                with: target, onNext: { _, _ in c.element() }, onCompleted: { _ in c.end() },
                onDisposed: { _ in c.end() })
        },
        SubscribeForm("MainInfallible.bind(onNext:)") { c in
            c.infallible.observe(on: onMain).bind(onNext: { _ in c.element() })
        },
        SubscribeForm("MainInfallible.bind(with:onNext:)") { c in
            c.infallible.observe(on: onMain).bind(with: target, onNext: { _, _ in c.element() })
        },
    ]
}
