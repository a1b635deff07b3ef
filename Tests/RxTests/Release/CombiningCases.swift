import Dispatch
import Rx
import RxTest

extension ReleaseCase {
    static let combining: [ReleaseCase] = {
        var add = ReleaseCases()
        add("flatMap(_:)") { s in s.first.flatMap { _ in s.use(s.second) } }
        add("flatMap(_:) of one element") { s in s.first.flatMap { s.use(Observable.just($0)) } }
        add("flatMapLatest(_:)") { s in s.first.flatMapLatest { _ in s.use(s.second) } }
        add("flatMapFirst(_:)") { s in s.first.flatMapFirst { _ in s.use(s.second) } }
        add("concatMap(_:)") { s in s.first.concatMap { _ in s.use(s.second) } }
        add("switchLatest()") { s in s.first.map { _ in s.two }.switchLatest() }
        add("merge()") { s in s.first.map { _ in s.two }.merge() }
        add("merge(maxConcurrent:)") { s in s.first.map { _ in s.two }.merge(maxConcurrent: 1) }
        add("concat()") { s in s.first.map { _ in s.two }.concat() }
        add("concat(_:)") { s in s.one.concat(s.two) }
        add("concat(_:) of a list") { s in Observable.concat(s.one, s.two) }
        add("concat(_:) of a collection") { s in Observable.concat([s.one, s.two]) }
        add("concat(_:) of a sequence") { s in Observable.concat(OneByOne(items: [s.one, s.two])) }
        add("concat(_:) of a trait") { s in s.one.concat(s.otherInfallible) }
        add("merge(_:)") { s in Observable.merge(s.one, s.two) }
        add("merge(_:) of a collection") { s in Observable.merge(CollectionOfOne(s.one)) }
        add("merge(_:) of an array") { s in Observable.merge([s.one, s.two]) }
        add("amb(_:)") { s in s.one.amb(s.two) }
        add("amb(_:) of a sequence") { s in Observable.amb([s.one, s.two]) }
        add("zip(_:_:resultSelector:)") { s in Observable.zip(s.first, s.second) { s.use($0 + $1) } }
        add("zip(_:_:)") { s in Observable.zip(s.one, s.two) }
        add("zip(_:resultSelector:)") { s in Observable.zip([s.first, s.second]) { s.use($0.count) } }
        add("zip(_:)") { s in Observable.zip([s.one, s.two]) }
        add("combineLatest(_:_:resultSelector:)") { s in
            Observable.combineLatest(s.first, s.second) { s.use($0 + $1) }
        }
        add("combineLatest(_:_:)") { s in Observable.combineLatest(s.one, s.two) }
        add("combineLatest(_:resultSelector:)") { s in
            Observable.combineLatest([s.first, s.second]) { s.use($0.count) }
        }
        add("combineLatest(_:)") { s in Observable.combineLatest([s.one, s.two]) }
        add("withLatestFrom(_:resultSelector:)") { s in s.first.withLatestFrom(s.second) { s.use($0 + $1) } }
        add("withLatestFrom(_:)") { s in s.one.withLatestFrom(s.two) }
        add("sample(_:defaultValue:)") { s in s.one.sample(s.two) }
        add("debug(_:trimOutput:file:line:function:)") { s in s.one.debug("release", trimOutput: true) }
        return add.list
    }()

    static let timed: [ReleaseCase] = {
        var add = ReleaseCases()
        add("observe(on:)") { s in s.one.observe(on: s.scheduler) }
        add("observe(on:buffering:)") { s in
            s.one.observe(on: s.scheduler, buffering: .bounded(1, whenFull: .dropOldest))
        }
        add("subscribe(on:)") { s in s.one.subscribe(on: s.scheduler) }
        add("delay(_:scheduler:)") { s in s.one.delay(.seconds(1), scheduler: s.scheduler) }
        add("delaySubscription(_:scheduler:)") { s in s.one.delaySubscription(.seconds(1), scheduler: s.scheduler) }
        add("throttle(_:latest:scheduler:)") { s in s.one.throttle(.seconds(1), scheduler: s.scheduler) }
        add("debounce(_:scheduler:)") { s in s.one.debounce(.seconds(1), scheduler: s.scheduler) }
        add("timeout(_:scheduler:)") { s in s.one.timeout(.seconds(999), scheduler: s.scheduler) }
        add("timeout(_:other:scheduler:)") { s in
            s.one.timeout(.seconds(9), other: s.two, scheduler: s.scheduler)
        }
        add("buffer(timeSpan:count:scheduler:)") { s in
            s.one.buffer(timeSpan: .seconds(1), count: 2, scheduler: s.scheduler)
        }
        add("window(timeSpan:count:scheduler:)") { s in
            s.one.window(timeSpan: .seconds(1), count: 2, scheduler: s.scheduler).merge()
        }
        add("take(for:scheduler:)") { s in s.one.take(for: .seconds(999), scheduler: s.scheduler) }
        add("skip(_:scheduler:)") { s in s.one.skip(.seconds(1), scheduler: s.scheduler) }
        return add.list
    }()

    static let sharing: [ReleaseCase] = {
        var add = ReleaseCases()
        add("share(replay:scope:)") { s in s.one.share() }
        add("share(replay:scope:) with a replay") { s in s.one.share(replay: 1) }
        add("share(replay:scope:) forever") { s in s.one.share(replay: 1, scope: .forever) }
        add("multicast(_:selector:)") { s in
            s.first.multicast({ PublishSubject<Int>() }, selector: { shared in s.use(shared.map { s.use($0) }) })
        }
        add("multicast(_:)") { s in connected(s.one.multicast(PublishSubject<Int>())) }
        add("multicast(makeSubject:)") { s in connected(s.one.multicast { s.use(PublishSubject<Int>()) }) }
        add("publish()") { s in connected(s.one.publish()) }
        add("replay(_:)") { s in connected(s.one.replay(1)) }
        add("replayAll()") { s in connected(s.one.replayAll()) }
        add("refCount()") { s in s.one.publish().refCount() }
        add("groupBy(keySelector:)") { s in s.first.groupBy { s.use($0 % 2) }.flatMap { $0 } }
        return add.list
    }()

    private static func connected(_ source: ConnectableObservable<Int>) -> Observable<Int> {
        .create { observer in
            let subscription = source.subscribe(observer)
            return Disposables.create(source.connect(), subscription)
        }
    }
}
