import Dispatch
import Rx
import RxTest

private struct Failure: Error {}

extension ReleaseCase {
    static let primitive: [ReleaseCase] = {
        var add = ReleaseCases("PrimitiveSequence")
        add("deferred(_:)") { s in Single.deferred { s.use(s.single) } }
        add("delay(_:scheduler:)") { s in s.single.delay(.seconds(1), scheduler: s.scheduler) }
        add("delaySubscription(_:scheduler:)") { s in s.single.delaySubscription(.seconds(1), scheduler: s.scheduler) }
        add("observe(on:)") { s in s.single.observe(on: s.scheduler) }
        add("subscribe(on:)") { s in s.single.subscribe(on: s.scheduler) }
        add("catch(_:)") { s in s.single.catch { _ in s.use(.just(1)) } }
        add("retry(_:)") { s in s.single.retry(2) }
        add("retry(when:)") { s in
            s.single.retry(when: { (errors: Observable<any Error>) in
                errors.flatMap { s.use(Observable<Int>.error($0)) }
            })
        }
        add("retry(when:) of a type") { s in
            s.single.retry(when: { (errors: Observable<Failure>) in errors.flatMap { _ in s.use(s.two) } })
        }
        add("debug(_:trimOutput:file:line:function:)") { s in s.single.debug("release", trimOutput: true) }
        add("using(_:primitiveSequenceFactory:)") { s in
            Single.using({ s.use(BooleanDisposable()) }, primitiveSequenceFactory: { _ in s.use(s.single) })
        }
        add("timeout(_:scheduler:)") { s in s.single.timeout(.seconds(999), scheduler: s.scheduler) }
        add("timeout(_:other:scheduler:)") { s in
            s.single.timeout(.seconds(1), other: s.otherSingle, scheduler: s.scheduler)
        }
        add("timer(_:scheduler:)") { s in Single<Int>.timer(.seconds(1), scheduler: s.scheduler).map { s.use($0) } }
        add("asObservable()") { s in s.single.asObservable() }
        return add.list
    }()

    static let single: [ReleaseCase] = {
        var add = ReleaseCases("Single")
        add("create(subscribe:)") { s in
            Single<Int>.create { single in
                let subscription = s.single.subscribe { single($0) }
                return Disposables.create { subscription.dispose() }
            }
        }
        add("just(_:)") { s in Single.just(s.held) }
        add("just(_:scheduler:)") { s in Single.just(s.held, scheduler: s.scheduler) }
        add("error(_:)") { s in Single<Int>.error(Failure()).catch { _ in s.use(s.single) } }
        add("never()", endless: true) { s in Single<Int>.never().map { s.use($0) } }
        add("do(onSuccess:afterSuccess:onError:afterError:onSubscribe:onSubscribed:onDispose:)") { s in
            s.single.do(
                onSuccess: { _ in s.held.use() }, afterSuccess: { _ in s.held.use() }, onError: { _ in s.held.use() },
                afterError: { _ in s.held.use() }, onSubscribe: { s.held.use() }, onSubscribed: { s.held.use() },
                onDispose: { s.held.use() })
        }
        add("filter(_:)") { s in s.single.filter { s.use($0 > 0) } }
        add("map(_:)") { s in s.single.map { s.use($0) } }
        add("compactMap(_:)") { s in s.single.compactMap { s.use($0) as Int? } }
        add("flatMap(_:)") { s in s.single.flatMap { _ in s.use(s.otherSingle) } }
        add("flatMapMaybe(_:)") { s in s.single.flatMapMaybe { _ in s.use(s.otherMaybe) } }
        add("flatMapCompletable(_:)") { s in s.single.flatMapCompletable { _ in s.use(s.otherCompletable) } }
        add("catchAndReturn(_:)") { s in s.single.catchAndReturn(0) }
        add("asMaybe()") { s in s.single.asMaybe() }
        add("asCompletable()") { s in s.single.asCompletable() }
        add("zip(_:_:resultSelector:)") { s in Single.zip(s.single, s.otherSingle) { s.use($0 + $1) } }
        add("zip(_:_:)") { s in Single.zip(s.single, s.otherSingle) }
        add("zip(_:resultSelector:)") { s in Single.zip([s.single, s.otherSingle]) { s.use($0.count) } }
        add("zip(_:)") { s in Single.zip([s.single, s.otherSingle]) }
        return add.list
    }()

    static let maybe: [ReleaseCase] = {
        var add = ReleaseCases("Maybe")
        add("create(subscribe:)") { s in
            Maybe<Int>.create { maybe in
                let subscription = s.maybe.subscribe { maybe($0) }
                return Disposables.create { subscription.dispose() }
            }
        }
        add("just(_:)") { s in Maybe.just(s.held) }
        add("just(_:scheduler:)") { s in Maybe.just(s.held, scheduler: s.scheduler) }
        add("error(_:)") { s in Maybe<Int>.error(Failure()).catch { _ in s.use(s.maybe) } }
        add("never()", endless: true) { s in Maybe<Int>.never().map { s.use($0) } }
        add("empty()") { s in Maybe<Int>.empty().ifEmpty(switchTo: s.maybe) }
        add("do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") {
            s in
            s.maybe.do(
                onNext: { _ in s.held.use() }, afterNext: { _ in s.held.use() }, onError: { _ in s.held.use() },
                afterError: { _ in s.held.use() }, onCompleted: { s.held.use() }, afterCompleted: { s.held.use() },
                onSubscribe: { s.held.use() }, onSubscribed: { s.held.use() }, onDispose: { s.held.use() })
        }
        add("filter(_:)") { s in s.maybe.filter { s.use($0 > 0) } }
        add("map(_:)") { s in s.maybe.map { s.use($0) } }
        add("compactMap(_:)") { s in s.maybe.compactMap { s.use($0) as Int? } }
        add("flatMap(_:)") { s in s.maybe.flatMap { _ in s.use(s.otherMaybe) } }
        add("ifEmpty(default:)") { s in s.maybe.ifEmpty(default: 0) }
        add("ifEmpty(switchTo:)") { s in s.maybe.ifEmpty(switchTo: s.otherMaybe) }
        add("ifEmpty(switchTo:) of a single") { s in s.maybe.ifEmpty(switchTo: s.otherSingle) }
        add("catchAndReturn(_:)") { s in s.maybe.catchAndReturn(0) }
        add("zip(_:_:resultSelector:)") { s in Maybe.zip(s.maybe, s.otherMaybe) { s.use($0 + $1) } }
        add("zip(_:_:)") { s in Maybe.zip(s.maybe, s.otherMaybe) }
        return add.list
    }()

    static let completable: [ReleaseCase] = {
        var add = ReleaseCases("Completable")
        add("create(subscribe:)") { s in
            Completable.create { completable in
                let subscription = s.completable.subscribe { completable($0) }
                return Disposables.create { subscription.dispose() }
            }
        }
        add("error(_:)") { s in Completable.error(Failure()).catch { _ in s.use(s.completable) } }
        add("never()", endless: true) { s in Completable.never().andThen(s.single) }
        add("empty()") { s in Completable.empty().andThen(s.single) }
        add("andThen(_:)") { s in s.completable.andThen(s.otherCompletable) }
        add("andThen(_:) of a single") { s in s.completable.andThen(s.otherSingle) }
        add("andThen(_:) of a maybe") { s in s.completable.andThen(s.otherMaybe) }
        add("andThen(_:) of an observable") { s in s.completable.andThen(s.two) }
        add("do(onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") { s in
            s.completable.do(
                onError: { _ in s.held.use() }, afterError: { _ in s.held.use() }, onCompleted: { s.held.use() },
                afterCompleted: { s.held.use() }, onSubscribe: { s.held.use() }, onSubscribed: { s.held.use() },
                onDispose: { s.held.use() })
        }
        add("concat(_:)") { s in s.completable.concat(s.otherCompletable) }
        add("concat(_:) of a list") { s in Completable.concat(s.completable, s.otherCompletable) }
        add("concat(_:) of a collection") { s in Completable.concat([s.completable, s.otherCompletable]) }
        add("concat(_:) of a sequence") { s in
            Completable.concat(OneByOne(items: [s.completable, s.otherCompletable]))
        }
        add("zip(_:)") { s in Completable.zip(s.completable, s.otherCompletable) }
        add("zip(_:) of an array") { s in Completable.zip([s.completable, s.otherCompletable]) }
        add("zip(_:) of a collection") { s in Completable.zip(CollectionOfOne(s.completable)) }
        return add.list
    }()
}
