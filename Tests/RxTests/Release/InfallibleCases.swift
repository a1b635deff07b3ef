import Dispatch
import Rx
import RxTest

extension ReleaseCase {
    static let infallible = infallibleCreation + infallibleSteps + infallibleSelection + infallibleCombination

    private static let infallibleCreation: [ReleaseCase] = {
        var add = ReleaseCases("Infallible")
        add("create(subscribe:)") { s in
            Infallible<Int>.create { observer in
                let subscription = s.first.subscribe { event in
                    if let element = event.element { observer(.next(s.use(element))) } else { observer(.completed) }
                }
                return Disposables.create { subscription.dispose() }
            }
        }
        add("deferred(_:)") { s in Infallible.deferred { s.use(s.infallible) } }
        add("just(_:)") { s in Infallible.just(s.held) }
        add("just(_:scheduler:)") { s in Infallible.just(s.held, scheduler: s.scheduler) }
        add("of(_:scheduler:)") { s in Infallible.of(s.held, s.held) }
        add("from(_:scheduler:)") { s in Infallible.from([s.held]) }
        add("from(_:scheduler:) of a sequence") { s in Infallible.from(CollectionOfOne(s.held)) }
        add("empty()") { s in s.infallible.concat(Infallible.empty()) }
        add("never()", endless: true) { s in Infallible.merge(s.infallible, .never()) }
        add("asObservable()") { s in s.infallible.asObservable() }
        return add.list
    }()

    private static let infallibleSteps: [ReleaseCase] = {
        var add = ReleaseCases("Infallible")
        add("map(_:)") { s in s.infallible.map { s.use($0) } }
        add("filter(_:)") { s in s.infallible.filter { s.use($0 > 0) } }
        add("compactMap(_:)") { s in s.infallible.compactMap { s.use($0) as Int? } }
        add("scan(_:accumulator:)") { s in s.infallible.scan(0) { s.use($0 + $1) } }
        add("scan(into:accumulator:)") { s in s.infallible.scan(into: 0) { $0 += s.use($1) } }
        add("startWith(_:)") { s in s.infallible.startWith(0) }
        add("observe(on:)") { s in s.infallible.observe(on: s.scheduler) }
        add("flatMap(_:)") { s in s.infallible.flatMap { _ in s.use(s.otherInfallible) } }
        add("flatMapLatest(_:)") { s in s.infallible.flatMapLatest { _ in s.use(s.otherInfallible) } }
        add("flatMapFirst(_:)") { s in s.infallible.flatMapFirst { _ in s.use(s.otherInfallible) } }
        add("concatMap(_:)") { s in s.infallible.concatMap { _ in s.use(s.otherInfallible) } }
        add("debounce(_:scheduler:)") { s in s.infallible.debounce(.seconds(1), scheduler: s.scheduler) }
        add("throttle(_:latest:scheduler:)") { s in s.infallible.throttle(.seconds(1), scheduler: s.scheduler) }
        add("debug(_:trimOutput:file:line:function:)") { s in s.infallible.debug("release", trimOutput: true) }
        add("share(replay:scope:)") { s in s.infallible.share(replay: 1) }
        add("do(onNext:afterNext:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)") { s in
            s.infallible.do(
                onNext: { _ in s.held.use() }, afterNext: { _ in s.held.use() }, onCompleted: { s.held.use() },
                afterCompleted: { s.held.use() }, onSubscribe: { s.held.use() }, onSubscribed: { s.held.use() },
                onDispose: { s.held.use() })
        }
        return add.list
    }()

    private static let infallibleSelection: [ReleaseCase] = {
        var add = ReleaseCases("Infallible")
        add("take(_:)") { s in s.infallible.take(2) }
        add("take(for:scheduler:)") { s in s.infallible.take(for: .seconds(999), scheduler: s.scheduler) }
        add("take(until:)") { s in s.infallible.take(until: s.otherInfallible.filter { $0 < 0 }) }
        add("take(until:) of an observable") { s in s.infallible.take(until: s.two.filter { $0 < 0 }) }
        add("take(until:behavior:)") { s in s.infallible.take(until: { s.use($0 > 9) }, behavior: .inclusive) }
        add("take(while:behavior:)") { s in s.infallible.take(while: { s.use($0 < 9) }) }
        add("skip(_:)") { s in s.infallible.skip(1) }
        add("skip(while:)") { s in s.infallible.skip(while: { s.use($0 > 9) }) }
        add("skip(until:)") { s in s.infallible.skip(until: s.otherInfallible) }
        add("distinctUntilChanged(_:)") { s in s.infallible.distinctUntilChanged { s.use($0) } }
        add("distinctUntilChanged(_:) of a comparer") { s in s.infallible.distinctUntilChanged { s.use($0 == $1) } }
        add("distinctUntilChanged(_:comparer:)") { s in
            s.infallible.distinctUntilChanged({ s.use($0) }, comparer: { s.use($0 == $1) })
        }
        add("distinctUntilChanged(at:)") { s in s.infallible.distinctUntilChanged(at: \.description) }
        add("distinctUntilChanged()") { s in s.infallible.distinctUntilChanged() }
        return add.list
    }()

    private static let infallibleCombination: [ReleaseCase] = {
        var add = ReleaseCases("Infallible")
        add("concat(_:)") { s in s.infallible.concat(s.otherInfallible) }
        add("concat(_:) of a list") { s in Infallible.concat(s.infallible, s.otherInfallible) }
        add("concat(_:) of a collection") { s in Infallible.concat([s.infallible, s.otherInfallible]) }
        add("concat(_:) of a sequence") { s in Infallible.concat(OneByOne(items: [s.infallible, s.otherInfallible])) }
        add("merge(_:)") { s in Infallible.merge(s.infallible, s.otherInfallible) }
        add("merge(_:) of an array") { s in Infallible.merge([s.infallible, s.otherInfallible]) }
        add("merge(_:) of a collection") { s in Infallible.merge(CollectionOfOne(s.infallible)) }
        add("zip(_:_:resultSelector:)") { s in Infallible.zip(s.infallible, s.otherInfallible) { s.use($0 + $1) } }
        add("zip(_:_:)") { s in Infallible.zip(s.infallible, s.otherInfallible) }
        add("combineLatest(_:_:resultSelector:)") { s in
            Infallible.combineLatest(s.infallible, s.otherInfallible) { s.use($0 + $1) }
        }
        add("combineLatest(_:_:)") { s in Infallible.combineLatest(s.infallible, s.otherInfallible) }
        add("combineLatest(_:resultSelector:)") { s in
            Infallible.combineLatest([s.infallible, s.otherInfallible]) { s.use($0.count) }
        }
        add("combineLatest(_:)") { s in Infallible.combineLatest([s.infallible, s.otherInfallible]) }
        add("withLatestFrom(_:resultSelector:)") { s in
            s.infallible.withLatestFrom(s.otherInfallible) { s.use($0 + $1) }
        }
        add("withLatestFrom(_:)") { s in s.infallible.withLatestFrom(s.otherInfallible) }
        add("withUnretained(_:resultSelector:)") { s in s.infallible.withUnretained(lasting) { s.use($1) } }
        add("withUnretained(_:)") { s in s.infallible.withUnretained(lasting) }
        return add.list
    }()
}
