import Rx
import RxTest

extension MarbleReplay {
    static let element: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add("compactMap { Int($0) }") { m in m.letters("source").compactMap { Int($0) } }
        add("distinctUntilChanged { $1 - $0 < 2 }") { m in m.source.distinctUntilChanged { $1 - $0 < 2 } }
        add("distinctUntilChanged { $0 / 2 }") { m in m.source.distinctUntilChanged { $0 / 2 } }
        add("distinctUntilChanged({ $0.lowercased() }, comparer: ==)") { m in
            m.letters("source").distinctUntilChanged({ $0.lowercased() }, comparer: ==)
        }
        add(#"distinctUntilChanged(at: \.count)"#) { m in m.letters("source").distinctUntilChanged(at: \.count) }
        add("distinctUntilChanged()") { m in m.source.distinctUntilChanged() }
        add("do(onNext: print)") { m in m.source.do(onNext: { _ in }) }
        add("element(at: 1)") { m in m.source.element(at: 1) }
        add("enumerated()") { m in m.letters("source").enumerated().map { "\($0),\($1)" } }
        add("filter { $0 > 1 }") { m in m.source.filter { $0 > 1 } }
        add("first()") { m in m.source.first().map { "\($0 ?? 0)" } }
        add("ifEmpty(default: 0)") { m in m.source.ifEmpty(default: 0) }
        add("ifEmpty(switchTo: other)") { m in m.source.ifEmpty(switchTo: m.other) }
        add("ignoreElements()") { m in m.source.ignoreElements() }
        add("map { $0 * 10 }") { m in m.source.map { $0 * 10 } }
        add("materialize()") { m in m.source.materialize().map { $0.error == nil ? "\($0)" : "error" } }
        add("dematerialize()") { m in
            m.letters("source").map { text -> Event<Int> in
                text == "completed" ? .completed : .next(text.hasSuffix("(1)") ? 1 : 2)
            }
            .dematerialize()
        }
        add("reduce(0) { $0 + $1 }") { m in m.source.reduce(0) { $0 + $1 } }
        add("reduce(0, accumulator: +, mapResult: { $0 * 10 })") { m in
            m.source.reduce(0, accumulator: { $0 + $1 }, mapResult: { $0 * 10 })
        }
        add("scan(0) { $0 + $1 }") { m in m.source.scan(0) { $0 + $1 } }
        add("scan(into: []) { $0.append($1) }") { m in
            m.source.scan(into: []) { (list: inout [Int], element) in list.append(element) }
        }
        add("single()") { m in m.source.single() }
        add("single { $0 == 2 }") { m in m.source.single { $0 == 2 } }
        add("skip(1)") { m in m.source.skip(1) }
        add("skip(while: { $0 < 2 })") { m in m.source.skip(while: { $0 < 2 }) }
        add("startWith(0)") { m in m.source.startWith(0) }
        add("take(2)") { m in m.source.take(2) }
        add("takeLast(2)") { m in m.source.takeLast(2) }
        add("take(while: { $0 < 3 })") { m in m.source.take(while: { $0 < 3 }) }
        add("take(while: { $0 < 3 }, behavior: .inclusive)") { m in
            m.source.take(while: { $0 < 3 }, behavior: .inclusive)
        }
        add("take(until: { $0 == 3 })") { m in m.source.take(until: { $0 == 3 }) }
        add("take(until: { $0 == 3 }, behavior: .inclusive)") { m in
            m.source.take(until: { $0 == 3 }, behavior: .inclusive)
        }
        add("toArray()") { m in m.source.toArray() }
        return add.list
    }()
}
