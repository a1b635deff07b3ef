import Dispatch
import Rx
import RxTest
import RxTraits

extension MarbleReplay {
    /// Operators of drivers and signals, with signals.
    static let sharedSequence: [MarbleReplay] = {
        var add = MarbleReplays("SharedSequenceConvertibleType", "SharedSequence")
        add("concat(sequence(of: first, second))") { m in
            Signal.concat(OneByOne(items: [m.signal("first"), m.signal("second")]))
        }
        add("concat([first, second])") { m in Signal.concat([m.signal("first"), m.signal("second")]) }
        add("merge(set(of: first, second))") { m in
            Signal.merge(AnyCollection([m.signal("first"), m.signal("second")]))
        }
        add("merge([first, second])") { m in Signal.merge([m.signal("first"), m.signal("second")]) }
        add("merge(first, second)") { m in Signal.merge(m.signal("first"), m.signal("second")) }
        add("combineLatest([first, second]) { $0[0] + $0[1] }") { m in
            Signal.combineLatest([m.signal("first"), m.signal("second")]) { $0[0] + $0[1] }
        }
        add("combineLatest([first, second])") { m in Signal.combineLatest([m.signal("first"), m.signal("second")]) }
        add("zip([first, second]) { $0[0] + $0[1] }") { m in
            Signal.zip([m.signal("first"), m.signal("second")]) { $0[0] + $0[1] }
        }
        add("zip([first, second])") { m in Signal.zip([m.signal("first"), m.signal("second")]) }
        add("withLatestFrom(second) { $0 + $1 }") { m in
            m.signal("source").withLatestFrom(m.signal("second")) { $0 + $1 }
        }
        add("withLatestFrom(second)") { m in m.signal("source").withLatestFrom(m.signal("second")) }
        add("empty()") { _ in Signal<Int>.empty() }
        add("never()") { _ in Signal<Int>.never() }
        add("just(1)") { _ in Signal.just(1) }
        add("deferred { inner }") { m in Signal.deferred { m.signal("inner") } }
        add("of(1, 2, 3)") { _ in Signal.of(1, 2, 3) }
        add("from([1, 2, 3])") { _ in Signal.from([1, 2, 3]) }
        add("from(1...3)") { _ in Signal.from(1...3) }
        add("from(optional: 1)") { _ in Signal.from(optional: 1) }
        add("from(optional: nil)") { _ in Signal<Int>.from(optional: nil) }
        add("interval(3)") { _ in Signal<Int>.interval(.seconds(3)) }
        add("timer(4, period: 2)") { _ in Signal<Int>.timer(.seconds(4), period: .seconds(2)) }
        add("map { $0 * 10 }") { m in m.signal("source").map { $0 * 10 } }
        add("compactMap { $0 % 2 == 1 ? $0 : nil }") { m in m.signal("source").compactMap { $0 % 2 == 1 ? $0 : nil } }
        add("filter { $0 > 1 }") { m in m.signal("source").filter { $0 > 1 } }
        add("scan(0) { $0 + $1 }") { m in m.signal("source").scan(0) { $0 + $1 } }
        add("scan(into: 0) { $0 += $1 }") { m in m.signal("source").scan(into: 0) { $0 += $1 } }
        add("skip(2)") { m in m.signal("source").skip(2) }
        add("startWith(8)") { m in m.signal("source").startWith(8) }
        add("distinctUntilChanged { $0 / 2 }") { m in m.signal("source").distinctUntilChanged { $0 / 2 } }
        add("distinctUntilChanged { $0 / 2 == $1 / 2 }") { m in
            m.signal("source").distinctUntilChanged { $0 / 2 == $1 / 2 }
        }
        add("distinctUntilChanged({ $0 / 2 }, comparer: ==)") { m in
            m.signal("source").distinctUntilChanged({ $0 / 2 }, comparer: ==)
        }
        add("distinctUntilChanged()") { m in m.signal("source").distinctUntilChanged() }
        add("flatMap { inner($0) }") { m in m.signal("source").flatMap { m.signal("inner(\($0))") } }
        add("flatMapLatest { inner($0) }") { m in m.signal("source").flatMapLatest { m.signal("inner(\($0))") } }
        add("flatMapFirst { inner($0) }") { m in m.signal("source").flatMapFirst { m.signal("inner(\($0))") } }
        add("switchLatest()") { m in m.texts("source").map { m.signal($0) }.switchLatest() }
        add("merge()") { m in m.texts("source").map { m.signal($0) }.merge() }
        add("merge(maxConcurrent: 1)") { m in m.texts("source").map { m.signal($0) }.merge(maxConcurrent: 1) }
        add("do(onNext: log)") { m in m.signal("source").do(onNext: { _ in }) }
        add("throttle(4)") { m in m.signal("source").throttle(.seconds(4)) }
        add("throttle(4, latest: false)") { m in m.signal("source").throttle(.seconds(4), latest: false) }
        add("debounce(3)") { m in m.signal("source").debounce(.seconds(3)) }
        add("delay(3)") { m in m.signal("source").delay(.seconds(3)) }
        add("combineLatest(first, second) { $0 + $1 }") { m in
            Signal.combineLatest(m.signal("first"), m.signal("second")) { $0 + $1 }
        }
        add("combineLatest(first, second)") { m in
            Signal.combineLatest(m.signal("first"), m.signal("second")).map { "\($0),\($1)" }
        }
        add("zip(first, second) { $0 + $1 }") { m in Signal.zip(m.signal("first"), m.signal("second")) { $0 + $1 } }
        add("zip(first, second)") { m in Signal.zip(m.signal("first"), m.signal("second")).map { "\($0),\($1)" } }
        return add.list
    }()

    static let intoSharedSequence: [MarbleReplay] = {
        var add = MarbleReplays("ObservableConvertibleType")
        add("asSharedSequence(onErrorJustReturn: 0)") { m in
            m.source.asSharedSequence(sharingStrategy: SignalSharingStrategy.self, onErrorJustReturn: 0)
        }
        add("asSharedSequence(onErrorDriveWith: other)") { m in
            m.source.asSharedSequence(onErrorDriveWith: m.signal("other"))
        }
        add("asSharedSequence { _ in .from([7, 8]) }") { m in m.source.asSharedSequence { _ in Signal.from([7, 8]) } }
        add("asDriver(onErrorJustReturn: 0)") { m in m.source.asDriver(onErrorJustReturn: 0) }
        add("asDriver(onErrorDriveWith: other)") { m in
            m.source.asDriver(onErrorDriveWith: m.other.asDriver(onErrorJustReturn: 0))
        }
        add("asDriver { _ in .from([7, 8]) }") { m in m.source.asDriver { _ in .from([7, 8]) } }
        add("asSignal(onErrorJustReturn: 0)") { m in m.source.asSignal(onErrorJustReturn: 0) }
        add("asSignal(onErrorSignalWith: other)") { m in m.source.asSignal(onErrorSignalWith: m.signal("other")) }
        add("asSignal { _ in .from([7, 8]) }") { m in m.source.asSignal { _ in .from([7, 8]) } }
        return add.list
    }()

    /// Who gets what of a driver or signal.
    static let sharingStrategies: [MarbleReplay] = {
        var add = MarbleReplays("")
        add.lines("Driver") { m in
            let driver = m.source.asDriver(onErrorJustReturn: 0)
            m.result("first", driver)
            m.result("second", driver)
        }
        add.lines("Signal") { m in
            let signal = m.signal("source")
            m.result("first", signal)
            m.result("second", signal)
        }
        return add.list
    }()
}
