import Dispatch
import Rx
import RxTest

private let mainScheduler = ConcurrentMainScheduler.instance

extension ReleaseCase.Sources {
    fileprivate var onMain: MainObservable<Int> { one.observe(on: mainScheduler) }
    fileprivate var mainInfallible: MainInfallible<Int> { infallible.observe(on: mainScheduler) }
    fileprivate var mainSingle: MainSingle<Int> { single.observe(on: mainScheduler) }
    fileprivate var mainMaybe: MainMaybe<Int> { maybe.observe(on: mainScheduler) }
    fileprivate var mainCompletable: MainCompletable { completable.observe(on: mainScheduler) }
}

/// The operators of sequences on the main thread, where these cases must run; the scheduler then runs everything at
/// once.
extension ReleaseCase {
    static let main = mainObservable + mainInfallible + mainTraits + mainPrimitive + plainInfallible + plainTraits

    private static let mainObservable: [ReleaseCase] = {
        var add = ReleaseCases("MainObservable")
        add("map(_:)") { s in s.onMain.map { s.use($0) } }
        add("filter(_:)") { s in s.onMain.filter { s.use($0 > 0) } }
        add("compactMap(_:)") { s in s.onMain.compactMap { s.use($0) as Int? } }
        add("scan(_:accumulator:)") { s in s.onMain.scan(0) { s.use($0 + $1) } }
        add("scan(into:accumulator:)") { s in s.onMain.scan(into: 0) { $0 += s.use($1) } }
        add("take(_:)") { s in s.onMain.take(2) }
        add("take(_:) of none", endless: true) { s in s.onMain.take(0) }
        add("skip(_:)") { s in s.onMain.skip(1) }
        add("do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") {
            s in
            s.onMain.do(
                onNext: { _ in s.use(()) }, afterNext: { _ in s.use(()) }, onError: { _ in s.use(()) },
                afterError: { _ in s.use(()) }, onCompleted: { s.use(()) }, afterCompleted: { s.use(()) },
                onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) }, onDispose: { s.use(()) })
        }
        add("distinctUntilChanged()") { s in s.onMain.distinctUntilChanged() }
        add("distinctUntilChanged(_:)") { s in s.onMain.distinctUntilChanged { s.use($0) } }
        add("distinctUntilChanged(_:) of a comparer") { s in s.onMain.distinctUntilChanged { s.use($0 == $1) } }
        add("distinctUntilChanged(_:comparer:)") { s in
            s.onMain.distinctUntilChanged({ s.use($0) }, comparer: { s.use($0 == $1) })
        }
        add("distinctUntilChanged(at:)") { s in s.onMain.distinctUntilChanged(at: \.magnitude) }
        return add.list
    }()

    private static let mainInfallible: [ReleaseCase] = {
        var add = ReleaseCases("MainInfallible")
        add("map(_:)") { s in s.mainInfallible.map { s.use($0) } }
        add("filter(_:)") { s in s.mainInfallible.filter { s.use($0 > 0) } }
        add("compactMap(_:)") { s in s.mainInfallible.compactMap { s.use($0) as Int? } }
        add("scan(_:accumulator:)") { s in s.mainInfallible.scan(0) { s.use($0 + $1) } }
        add("scan(into:accumulator:)") { s in s.mainInfallible.scan(into: 0) { $0 += s.use($1) } }
        add("take(_:)") { s in s.mainInfallible.take(2) }
        add("skip(_:)") { s in s.mainInfallible.skip(1) }
        add("do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") { s in
            s.mainInfallible.do(
                onNext: { _ in s.use(()) }, afterNext: { _ in s.use(()) }, onCompleted: { s.use(()) },
                afterCompleted: { s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        add("distinctUntilChanged()") { s in s.mainInfallible.distinctUntilChanged() }
        add("distinctUntilChanged(_:)") { s in s.mainInfallible.distinctUntilChanged { s.use($0) } }
        add("distinctUntilChanged(_:) of a comparer") { s in s.mainInfallible.distinctUntilChanged { s.use($0 == $1) } }
        add("distinctUntilChanged(_:comparer:)") { s in
            s.mainInfallible.distinctUntilChanged({ s.use($0) }, comparer: { s.use($0 == $1) })
        }
        add("distinctUntilChanged(at:)") { s in s.mainInfallible.distinctUntilChanged(at: \.magnitude) }
        return add.list
    }()

    private static let mainTraits: [ReleaseCase] = {
        var single = ReleaseCases("MainSingle")
        single("map(_:)") { s in s.mainSingle.map { s.use($0) } }
        single("filter(_:)") { s in s.mainSingle.filter { s.use($0 > 0) } }
        single("compactMap(_:)") { s in s.mainSingle.compactMap { s.use($0) as Int? } }
        single("do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)") { s in
            s.mainSingle.do(
                onSuccess: { _ in s.use(()) }, afterSuccess: { _ in s.use(()) }, onError: { _ in s.use(()) },
                afterError: { _ in s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        var maybe = ReleaseCases("MainMaybe")
        maybe("map(_:)") { s in s.mainMaybe.map { s.use($0) } }
        maybe("filter(_:)") { s in s.mainMaybe.filter { s.use($0 > 0) } }
        maybe("compactMap(_:)") { s in s.mainMaybe.compactMap { s.use($0) as Int? } }
        maybe("do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)")
        { s in
            s.mainMaybe.do(
                onNext: { _ in s.use(()) }, afterNext: { _ in s.use(()) }, onError: { _ in s.use(()) },
                afterError: { _ in s.use(()) }, onCompleted: { s.use(()) }, afterCompleted: { s.use(()) },
                onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) }, onDispose: { s.use(()) })
        }
        var completable = ReleaseCases("MainCompletable")
        completable("do(onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") { s in
            s.mainCompletable.do(
                onError: { _ in s.use(()) }, afterError: { _ in s.use(()) }, onCompleted: { s.use(()) },
                afterCompleted: { s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        return single.list + maybe.list + completable.list
    }()

    private static let mainPrimitive: [ReleaseCase] = {
        var add = ReleaseCases("MainPrimitiveSequence")
        add("delay(_:scheduler:)") { s in s.mainSingle.delay(.seconds(1), scheduler: s.scheduler) }
        add("delaySubscription(_:scheduler:)") { s in
            s.mainSingle.delaySubscription(.seconds(1), scheduler: s.scheduler)
        }
        add("observe(on:)") { s in s.mainSingle.observe(on: s.scheduler) }
        add("subscribe(on:)") { s in s.mainSingle.subscribe(on: s.scheduler) }
        add("catch(_:)") { s in s.mainSingle.catch { _ in s.use(.just(1)) } }
        add("retry(_:)") { s in s.mainSingle.retry(2) }
        add("retry(when:)") { s in
            s.mainSingle.retry(when: { (errors: Observable<any Error>) in
                errors.flatMap { s.use(Observable<Int>.error($0)) }
            })
        }
        add("retry(when:) of a type") { s in
            s.mainSingle.retry(when: { (errors: Observable<RxError>) in errors.flatMap { _ in s.use(s.two) } })
        }
        add("debug(_:trimOutput:file:line:function:)") { s in s.mainSingle.debug("release", trimOutput: true) }
        add("timeout(_:scheduler:)") { s in s.mainSingle.timeout(.seconds(999), scheduler: s.scheduler) }
        add("timeout(_:other:scheduler:)") { s in
            s.mainSingle.timeout(.seconds(999), other: s.otherSingle, scheduler: s.scheduler)
        }
        return add.list
    }()

    private static let plainInfallible: [ReleaseCase] = {
        var add = ReleaseCases("MainInfallibleType")
        add("map(_:)") { s -> Infallible<Int> in s.mainInfallible.map { s.use($0) } }
        add("filter(_:)") { s -> Infallible<Int> in s.mainInfallible.filter { s.use($0 > 0) } }
        add("compactMap(_:)") { s -> Infallible<Int> in s.mainInfallible.compactMap { s.use($0) as Int? } }
        add("scan(_:accumulator:)") { s -> Infallible<Int> in s.mainInfallible.scan(0) { s.use($0 + $1) } }
        add("scan(into:accumulator:)") { s -> Infallible<Int> in s.mainInfallible.scan(into: 0) { $0 += s.use($1) } }
        add("do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") {
            s -> Infallible<Int> in
            s.mainInfallible.do(
                onNext: { _ in s.use(()) }, afterNext: { _ in s.use(()) }, onCompleted: { s.use(()) },
                afterCompleted: { s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        add("distinctUntilChanged(_:)") { s -> Infallible<Int> in s.mainInfallible.distinctUntilChanged { s.use($0) } }
        add("distinctUntilChanged(_:) of a comparer") { s -> Infallible<Int> in
            s.mainInfallible.distinctUntilChanged { s.use($0 == $1) }
        }
        add("distinctUntilChanged(_:comparer:)") { s -> Infallible<Int> in
            s.mainInfallible.distinctUntilChanged({ s.use($0) }, comparer: { s.use($0 == $1) })
        }
        return add.list
    }()

    private static let plainTraits: [ReleaseCase] = {
        var single = ReleaseCases("MainSingleType")
        single("map(_:)") { s -> Single<Int> in s.mainSingle.map { s.use($0) } }
        single("filter(_:)") { s -> Maybe<Int> in s.mainSingle.filter { s.use($0 > 0) } }
        single("compactMap(_:)") { s -> Maybe<Int> in s.mainSingle.compactMap { s.use($0) as Int? } }
        single("do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)") {
            s -> Single<Int> in
            s.mainSingle.do(
                onSuccess: { _ in s.use(()) }, afterSuccess: { _ in s.use(()) }, onError: { _ in s.use(()) },
                afterError: { _ in s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        var maybe = ReleaseCases("MainMaybeType")
        maybe("map(_:)") { s -> Maybe<Int> in s.mainMaybe.map { s.use($0) } }
        maybe("filter(_:)") { s -> Maybe<Int> in s.mainMaybe.filter { s.use($0 > 0) } }
        maybe("compactMap(_:)") { s -> Maybe<Int> in s.mainMaybe.compactMap { s.use($0) as Int? } }
        maybe("do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)")
        { s -> Maybe<Int> in
            s.mainMaybe.do(
                onNext: { _ in s.use(()) }, afterNext: { _ in s.use(()) }, onError: { _ in s.use(()) },
                afterError: { _ in s.use(()) }, onCompleted: { s.use(()) }, afterCompleted: { s.use(()) },
                onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) }, onDispose: { s.use(()) })
        }
        var completable = ReleaseCases("MainCompletableType")
        completable("do(onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") {
            s -> Completable in
            s.mainCompletable.do(
                onError: { _ in s.use(()) }, afterError: { _ in s.use(()) }, onCompleted: { s.use(()) },
                afterCompleted: { s.use(()) }, onSubscribe: { s.use(()) }, onSubscribed: { s.use(()) },
                onDispose: { s.use(()) })
        }
        return single.list + maybe.list + completable.list
    }()
}
