import Dispatch
import Rx
import RxTest

extension MarbleReplay {
    static let conversion: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType", "ObservableConvertibleType")
        add("asInfallible(onErrorJustReturn: 0)") { m in m.source.asInfallible(onErrorJustReturn: 0) }
        add("asInfallible(onErrorFallbackTo: other)") { m in
            m.source.asInfallible(onErrorFallbackTo: m.infallible("other"))
        }
        add("asInfallible { _ in .of(7, 8) }") { m in m.source.asInfallible { _ in .of(7, 8) } }
        add("asSingle()") { m in m.source.asSingle() }
        add("asMaybe()") { m in m.source.asMaybe() }
        add("asCompletable()") { m in m.source.ignoreElements().asCompletable() }
        return add.list
    }()

    static let primitiveSequence: [MarbleReplay] = {
        var add = MarbleReplays("PrimitiveSequence")
        add("deferred { inner }") { m in Single.deferred { m.single("inner") } }
        add("delay(2)") { m in m.single("source").delay(.seconds(2), scheduler: m.scheduler) }
        add("delaySubscription(2)") { m in m.single("source").delaySubscription(.seconds(2), scheduler: m.scheduler) }
        add("observe(on: s)") { m in m.single("source").observe(on: m.scheduler) }
        add("subscribe(on: s)") { m in m.single("source").subscribe(on: m.scheduler) }
        add("catch { _ in other }") { m in m.single("source").catch { _ in m.single("other") } }
        add("retry(2)") { m in m.again.asSingle().retry(2) }
        add("retry(when: { $0.flatMap { _ in trigger } })") { m in
            m.again.asSingle().retry(when: { (errors: Observable<Oops>) in errors.flatMap { _ in m.letters("trigger") }
            })
        }
        add("using({ resource }) { _ in inner }") { m in
            Single.using({ BooleanDisposable() }) { _ in m.single("inner") }
        }
        add("timeout(3)") { m in m.single("source").timeout(.seconds(3), scheduler: m.scheduler) }
        add("timeout(3, other: other)") { m in
            m.single("source").timeout(.seconds(3), other: m.single("other"), scheduler: m.scheduler)
        }
        add("timer(2)") { m in Single<Int>.timer(.seconds(2), scheduler: m.scheduler) }
        return add.list
    }()

    static let single: [MarbleReplay] = {
        var add = MarbleReplays("Single")
        add("zip([first, second]) { $0[0] + $0[1] }") { m in
            Single.zip([m.single("first"), m.single("second")]) { $0[0] + $0[1] }
        }
        add("zip([first, second])") { m in Single.zip([m.single("first"), m.single("second")]) }
        add("zip(first, second) { $0 + $1 }") { m in Single.zip(m.single("first"), m.single("second")) { $0 + $1 } }
        add("zip(first, second)") { m in Single.zip(m.single("first"), m.single("second")).map { "\($0),\($1)" } }
        add("just(1, scheduler: s)") { m in Single.just(1, scheduler: m.scheduler) }
        add("do(onSuccess: log)") { m in m.single("source").do(onSuccess: { _ in }) }
        add("filter { $0 > 1 }") { m in m.single("source").filter { $0 > 1 } }
        add("map { $0 * 10 }") { m in m.single("source").map { $0 * 10 } }
        add("compactMap { Int($0) }") { m in m.letters("source").asSingle().compactMap { Int($0) } }
        add("flatMap { inner($0) }") { m in m.single("source").flatMap { m.single("inner(\($0))") } }
        add("flatMapMaybe { inner($0) }") { m in m.single("source").flatMapMaybe { m.maybe("inner(\($0))") } }
        add("flatMapCompletable { inner($0) }") { m in
            m.single("source").flatMapCompletable { m.completable("inner(\($0))") }
        }
        add("catchAndReturn(0)") { m in m.single("source").catchAndReturn(0) }
        add("asMaybe()") { m in m.single("source").asMaybe() }
        add("asCompletable()") { m in m.single("source").asCompletable() }
        add("create { $0(.success(1)); … }") { _ in
            Single.create {
                $0(.success(1)); return Disposables.create()
            }
        }
        add("just(1)") { _ in Single.just(1) }
        add("error(failure)") { _ in Single<Int>.error(Oops()) }
        add("never()") { _ in Single<Int>.never() }
        return add.list
    }()

    static let maybe: [MarbleReplay] = {
        var add = MarbleReplays("Maybe")
        add("zip(first, second) { $0 + $1 }") { m in Maybe.zip(m.maybe("first"), m.maybe("second")) { $0 + $1 } }
        add("zip(first, second)") { m in Maybe.zip(m.maybe("first"), m.maybe("second")).map { "\($0),\($1)" } }
        add("just(1, scheduler: s)") { m in Maybe.just(1, scheduler: m.scheduler) }
        add("do(onCompleted: log)") { m in m.maybe("source").do(onCompleted: {}) }
        add("filter { $0 > 1 }") { m in m.maybe("source").filter { $0 > 1 } }
        add("map { $0 * 10 }") { m in m.maybe("source").map { $0 * 10 } }
        add("compactMap { Int($0) }") { m in m.letters("source").asMaybe().compactMap { Int($0) } }
        add("flatMap { inner($0) }") { m in m.maybe("source").flatMap { m.maybe("inner(\($0))") } }
        add("ifEmpty(default: 0)") { m in m.maybe("source").ifEmpty(default: 0) }
        add("ifEmpty(switchTo: other)") { m in m.maybe("source").ifEmpty(switchTo: m.maybe("other")) }
        add("ifEmpty(switchTo: single)") { m in m.maybe("source").ifEmpty(switchTo: m.single("single")) }
        add("catchAndReturn(0)") { m in m.maybe("source").catchAndReturn(0) }
        add("create { $0(.success(1)); … }") { _ in
            Maybe.create {
                $0(.success(1)); return Disposables.create()
            }
        }
        add("just(1)") { _ in Maybe.just(1) }
        add("error(failure)") { _ in Maybe<Int>.error(Oops()) }
        add("never()") { _ in Maybe<Int>.never() }
        add("empty()") { _ in Maybe<Int>.empty() }
        return add.list
    }()

    static let completable: [MarbleReplay] = {
        var add = MarbleReplays("Completable")
        add("andThen(single)") { m in m.completable("source").andThen(m.single("single")) }
        add("andThen(maybe)") { m in m.completable("source").andThen(m.maybe("maybe")) }
        add("andThen(completable)") { m in m.completable("source").andThen(m.completable("completable")) }
        add("andThen(observable)") { m in m.completable("source").andThen(m.ints("observable")) }
        add("do(onCompleted: log)") { m in m.completable("source").do(onCompleted: {}) }
        add("concat(second)") { m in m.completable("source").concat(m.completable("second")) }
        add("concat(sequence(of: first, second))") { m in
            Completable.concat(OneByOne(items: [m.completable("first"), m.completable("second")]))
        }
        add("concat([first, second])") { m in Completable.concat([m.completable("first"), m.completable("second")]) }
        add("concat(first, second)") { m in Completable.concat(m.completable("first"), m.completable("second")) }
        add("zip(set(of: first, second))") { m in
            Completable.zip(AnyCollection([m.completable("first"), m.completable("second")]))
        }
        add("zip([first, second])") { m in Completable.zip([m.completable("first"), m.completable("second")]) }
        add("zip(first, second)") { m in Completable.zip(m.completable("first"), m.completable("second")) }
        add("create { $0(.completed); … }") { _ in
            Completable.create {
                $0(.completed); return Disposables.create()
            }
        }
        add("error(failure)") { _ in Completable.error(Oops()) }
        add("never()") { _ in Completable.never() }
        add("empty()") { _ in Completable.empty() }
        return add.list
    }()
}
