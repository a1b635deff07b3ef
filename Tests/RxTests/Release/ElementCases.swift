import Dispatch
import Rx
import RxTest

private struct Failure: Error {}

extension ReleaseCase {
    static let creation: [ReleaseCase] = {
        var add = ReleaseCases()
        add("create(_:)") { s in
            Observable<Int>.create { observer in
                let subscription = s.first.subscribe(observer)
                return Disposables.create {
                    s.held.use()
                    subscription.dispose()
                }
            }
        }
        add("deferred(_:)") { s in Observable.deferred { s.use(s.one) } }
        add("using(_:observableFactory:)") { s in
            Observable.using({ s.use(BooleanDisposable()) }, observableFactory: { _ in s.use(s.one) })
        }
        add("empty()") { s in s.one.concat(Observable.empty()) }
        add("error(_:)") { s in Observable<Int>.error(Failure()).catch { _ in s.use(s.one) } }
        add("never()", endless: true) { s in Observable<Int>.never().amb(s.one) }
        add("just(_:)") { s in Observable.just(s.held) }
        add("just(_:scheduler:)") { s in Observable.just(s.held, scheduler: s.scheduler) }
        add("of(_:scheduler:)") { s in Observable.of(s.held, s.held) }
        add("of(_:scheduler:) with a scheduler") { s in Observable.of(s.held, s.held, scheduler: s.scheduler) }
        add("from(_:scheduler:)") { s in Observable.from([s.held, s.held]) }
        add("from(_:scheduler:) of a sequence") { s in Observable.from(CollectionOfOne(s.held)) }
        add("from(optional:)") { s in Observable.from(optional: s.held) }
        add("from(optional:scheduler:)") { s in Observable.from(optional: s.held, scheduler: s.scheduler) }
        add("generate(initialState:condition:scheduler:iterate:)") { s in
            Observable.generate(
                initialState: 0, condition: { s.use($0 < 3) }, scheduler: s.scheduler, iterate: { s.use($0 + 1) })
        }
        add("range(start:count:scheduler:)") { s in
            Observable.range(start: 1, count: 2, scheduler: s.scheduler).map { s.use($0) }
        }
        add("repeatElement(_:scheduler:)") { s in
            Observable.repeatElement(s.held, scheduler: s.scheduler).take(until: s.first.materialize().skip(2))
        }
        add("interval(_:scheduler:)") { s in
            Observable<Int>.interval(.seconds(1), scheduler: s.scheduler).map { s.use($0) }
                .take(until: s.first.materialize().filter { $0.isStopEvent })
        }
        add("timer(_:period:scheduler:)") { s in
            Observable<Int>.timer(.seconds(1), period: .seconds(2), scheduler: s.scheduler).map { s.use($0) }
                .take(until: s.first.materialize().filter { $0.isStopEvent })
        }
        return add.list
    }()

    static let elementwise: [ReleaseCase] = {
        var add = ReleaseCases()
        add("map(_:)") { s in s.first.map { s.use($0) } }
        add("filter(_:)") { s in s.first.filter { s.use($0 > 0) } }
        add("compactMap(_:)") { s in s.first.compactMap { s.use($0) as Int? } }
        add("scan(_:accumulator:)") { s in s.first.scan(0) { s.use($0 + $1) } }
        add("scan(into:accumulator:)") { s in s.first.scan(into: 0) { $0 += s.use($1) } }
        add("reduce(_:accumulator:)") { s in s.first.reduce(0) { s.use($0 + $1) } }
        add("reduce(_:accumulator:mapResult:)") { s in
            s.first.reduce(0, accumulator: { s.use($0 + $1) }, mapResult: { s.use($0) })
        }
        add("distinctUntilChanged(_:)") { s in s.first.distinctUntilChanged { s.use($0) } }
        add("distinctUntilChanged(_:) of a comparer") { s in s.first.distinctUntilChanged { s.use($0 == $1) } }
        add("distinctUntilChanged(_:comparer:)") { s in
            s.first.distinctUntilChanged({ s.use($0) }, comparer: { s.use($0 == $1) })
        }
        add("distinctUntilChanged(at:)") { s in s.one.distinctUntilChanged(at: \.description) }
        add("distinctUntilChanged()") { s in s.one.distinctUntilChanged() }
        add("do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") {
            s in
            s.first.do(
                onNext: { _ in s.held.use() }, afterNext: { _ in s.held.use() }, onError: { _ in s.held.use() },
                afterError: { _ in s.held.use() }, onCompleted: { s.held.use() }, afterCompleted: { s.held.use() },
                onSubscribe: { s.held.use() }, onSubscribed: { s.held.use() }, onDispose: { s.held.use() })
        }
        add("enumerated()") { s in s.one.enumerated() }
        add("materialize()") { s in s.one.materialize() }
        add("dematerialize()") { s in s.one.materialize().dematerialize() }
        add("toArray()") { s in s.one.toArray() }
        add("ignoreElements()") { s in s.one.ignoreElements().map { _ in } }
        add("startWith(_:)") { s in s.one.startWith(0) }
        add("ifEmpty(default:)") { s in s.one.ifEmpty(default: 0) }
        add("ifEmpty(switchTo:)") { s in s.first.filter { $0 < 0 }.ifEmpty(switchTo: s.two) }
        add("catch(_:)") { s in s.first.catch { _ in s.use(.empty()) } }
        add("catchAndReturn(_:)") { s in s.one.catchAndReturn(0) }
        add("catch(sequence:)") { s in Observable.catch(sequence: [s.one, s.two]) }
        add("retry()") { s in s.one.materialize().dematerialize().take(until: s.first.materialize().skip(2)).retry() }
        add("retry(_:)") { s in s.one.retry(2) }
        add("retry(when:)") { s in
            s.first.retry(when: { (errors: Observable<any Error>) in
                errors.flatMap { s.use(Observable<Int>.error($0)) }
            })
        }
        add("retry(when:) of a type") { s in
            s.first.retry(when: { (errors: Observable<Failure>) in errors.flatMap { _ in s.use(s.two) } })
        }
        add("withUnretained(_:resultSelector:)") { s in
            s.first.withUnretained(lasting) { s.use($1) }
        }
        add("withUnretained(_:)") { s in s.one.withUnretained(lasting) }
        add("asSingle()") { s in s.one.take(1).asSingle() }
        add("asMaybe()") { s in s.one.take(1).asMaybe() }
        add("asCompletable()") { s in s.one.ignoreElements().asCompletable() }
        add("asInfallible(onErrorJustReturn:)") { s in s.one.asInfallible(onErrorJustReturn: 0) }
        add("asInfallible(onErrorFallbackTo:)") { s in s.one.asInfallible(onErrorFallbackTo: s.otherInfallible) }
        add("asInfallible(onErrorRecover:)") { s in s.first.asInfallible { _ in s.use(.empty()) } }
        add("trace(_:file:line:function:)") { s in s.one.trace("release") }
        add("asObservable()") { s in s.one.asObservable() }
        return add.list
    }()

    static let selecting: [ReleaseCase] = {
        var add = ReleaseCases()
        add("take(_:)") { s in s.one.take(2) }
        add("take(while:behavior:)") { s in s.first.take(while: { s.use($0 < 9) }) }
        add("take(until:behavior:)") { s in s.first.take(until: { s.use($0 > 9) }, behavior: .inclusive) }
        add("take(until:)") { s in s.one.take(until: s.two.filter { $0 < 0 }) }
        add("takeLast(_:)") { s in s.one.takeLast(1) }
        add("skip(_:)") { s in s.one.skip(1) }
        add("skip(while:)") { s in s.first.skip(while: { s.use($0 > 9) }) }
        add("skip(until:)") { s in s.one.skip(until: s.two) }
        add("skip(until:) before the signal") { s in s.one.skip(until: s.second.filter { s.use($0 > 9) }) }
        add("element(at:)") { s in s.one.element(at: 1) }
        add("single()") { s in s.one.take(1).single() }
        add("single(_:)") { s in s.first.take(1).single { s.use($0 > 0) } }
        add("first()") { s in s.one.first() }
        return add.list
    }()

    /// Alive as long as the process.
    static let lasting = Held()
}
