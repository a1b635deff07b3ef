import Dispatch
import Rx
import RxTest

extension MarbleReplay {
    static let infallible: [MarbleReplay] = {
        var add = MarbleReplays("Infallible", "InfallibleType")
        add("combineLatest(first, second) { $0 + $1 }") { m in
            Infallible.combineLatest(m.infallible("first"), m.infallible("second")) { $0 + $1 }
        }
        add("combineLatest(first, second)") { m in
            Infallible.combineLatest(m.infallible("first"), m.infallible("second")).map { "\($0),\($1)" }
        }
        add("zip(first, second) { $0 + $1 }") { m in
            Infallible.zip(m.infallible("first"), m.infallible("second")) { $0 + $1 }
        }
        add("zip(first, second)") { m in
            Infallible.zip(m.infallible("first"), m.infallible("second")).map { "\($0),\($1)" }
        }
        add("just(1)") { _ in Infallible.just(1) }
        add("never()") { _ in Infallible<Int>.never() }
        add("empty()") { _ in Infallible<Int>.empty() }
        add("deferred { inner }") { m in Infallible.deferred { m.infallible("inner") } }
        add("of(1, 2, 3)") { _ in Infallible.of(1, 2, 3) }
        add("from([1, 2, 3])") { _ in Infallible.from([1, 2, 3]) }
        add("from(1...3)") { _ in Infallible.from(1...3) }
        add("concat(second)") { m in m.infallible("source").concat(m.infallible("second")) }
        add("concat(sequence(of: first, second))") { m in
            Infallible.concat(OneByOne(items: [m.infallible("first"), m.infallible("second")]))
        }
        add("concat([first, second])") { m in Infallible.concat([m.infallible("first"), m.infallible("second")]) }
        add("concat(first, second)") { m in Infallible.concat(m.infallible("first"), m.infallible("second")) }
        add("merge(set(of: first, second))") { m in
            Infallible.merge(AnyCollection([m.infallible("first"), m.infallible("second")]))
        }
        add("merge([first, second])") { m in Infallible.merge([m.infallible("first"), m.infallible("second")]) }
        add("merge(first, second)") { m in Infallible.merge(m.infallible("first"), m.infallible("second")) }
        add("combineLatest([first, second]) { $0[0] + $0[1] }") { m in
            Infallible.combineLatest([m.infallible("first"), m.infallible("second")]) { $0[0] + $0[1] }
        }
        add("combineLatest([first, second])") { m in
            Infallible.combineLatest([m.infallible("first"), m.infallible("second")])
        }
        add("withLatestFrom(second) { $0 + $1 }") { m in
            m.infallible("source").withLatestFrom(m.infallible("second")) { $0 + $1 }
        }
        add("withLatestFrom(second)") { m in m.infallible("source").withLatestFrom(m.infallible("second")) }
        add("just(1, scheduler: s)") { m in Infallible.just(1, scheduler: m.scheduler) }
        add("observe(on: s)") { m in m.infallible("source").observe(on: m.scheduler) }
        add("map { $0 * 10 }") { m in m.infallible("source").map { $0 * 10 } }
        add("filter { $0 > 1 }") { m in m.infallible("source").filter { $0 > 1 } }
        add("compactMap { Int($0) }") { m in m.words("source").compactMap { Int($0) } }
        add("scan(0) { $0 + $1 }") { m in m.infallible("source").scan(0) { $0 + $1 } }
        add("scan(into: 0) { $0 += $1 }") { m in m.infallible("source").scan(into: 0) { $0 += $1 } }
        add("startWith(8, 9)") { m in m.infallible("source").startWith(8, 9) }
        add("flatMap { inner($0) }") { m in m.infallible("source").flatMap { m.words("inner(\($0))") } }
        add("flatMapLatest { inner($0) }") { m in m.infallible("source").flatMapLatest { m.words("inner(\($0))") } }
        add("flatMapFirst { inner($0) }") { m in m.infallible("source").flatMapFirst { m.words("inner(\($0))") } }
        add("concatMap { inner($0) }") { m in m.infallible("source").concatMap { m.words("inner(\($0))") } }
        add("debounce(3)") { m in m.infallible("source").debounce(.seconds(3), scheduler: m.scheduler) }
        add("throttle(4)") { m in m.infallible("source").throttle(.seconds(4), scheduler: m.scheduler) }
        add("throttle(4, latest: false)") { m in
            m.infallible("source").throttle(.seconds(4), latest: false, scheduler: m.scheduler)
        }
        add("do(onNext: log)") { m in m.infallible("source").do(onNext: { _ in }) }
        add("take(2)") { m in m.infallible("source").take(2) }
        add("take(for: 6)") { m in m.infallible("source").take(for: .seconds(6), scheduler: m.scheduler) }
        add("take(until: other)") { m in m.infallible("source").take(until: m.infallible("other")) }
        add("take(until: observable)") { m in m.infallible("source").take(until: m.ints("observable")) }
        add("take(until: { $0 == 2 })") { m in m.infallible("source").take(until: { $0 == 2 }) }
        add("take(until: { $0 == 2 }, behavior: .inclusive)") { m in
            m.infallible("source").take(until: { $0 == 2 }, behavior: .inclusive)
        }
        add("take(while: { $0 < 2 })") { m in m.infallible("source").take(while: { $0 < 2 }) }
        add("take(while: { $0 < 2 }, behavior: .inclusive)") { m in
            m.infallible("source").take(while: { $0 < 2 }, behavior: .inclusive)
        }
        add("skip(2)") { m in m.infallible("source").skip(2) }
        add("skip(while: { $0 < 2 })") { m in m.infallible("source").skip(while: { $0 < 2 }) }
        add("skip(until: other)") { m in m.infallible("source").skip(until: m.infallible("other")) }
        add("distinctUntilChanged { $0 / 2 == $1 / 2 }") { m in
            m.infallible("source").distinctUntilChanged { $0 / 2 == $1 / 2 }
        }
        add("distinctUntilChanged { $0 / 2 }") { m in m.infallible("source").distinctUntilChanged { $0 / 2 } }
        add("distinctUntilChanged({ $0 / 2 }, comparer: ==)") { m in
            m.infallible("source").distinctUntilChanged({ $0 / 2 }, comparer: ==)
        }
        add(#"distinctUntilChanged(at: \.count)"#) { m in m.words("source").distinctUntilChanged(at: \.count) }
        add("distinctUntilChanged()") { m in m.infallible("source").distinctUntilChanged() }
        add("create { $0(.next(1)); $0(.completed); … }") { _ in
            Infallible<Int>.create {
                $0(.next(1)); $0(.completed); return Disposables.create()
            }
        }
        return add.list
    }()
}
