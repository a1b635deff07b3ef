import Rx
import RxTest

extension MarbleReplay {
    static let combining: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add("amb(right)") { m in m.source.amb(m.ints("right")) }
        add("amb([first, second])") { m in Observable.amb([m.first, m.second]) }
        add("catch { _ in other }") { m in m.source.catch { _ in m.other } }
        add("catchAndReturn(0)") { m in m.source.catchAndReturn(0) }
        add(#"combineLatest(first, second) { "\($0)\($1)" }"#) { m in
            Observable.combineLatest(m.first, m.letters("second")) { "\($0)\($1)" }
        }
        add("combineLatest(first, second)") { m in
            Observable.combineLatest(m.first, m.letters("second")).map { "\($0),\($1)" }
        }
        add("combineLatest([first, second]) { $0[0] + $0[1] }") { m in
            Observable.combineLatest([m.first, m.second]) { $0[0] + $0[1] }
        }
        add("combineLatest([first, second])") { m in Observable.combineLatest([m.first, m.second]) }
        add("concat(second)") { m in m.source.concat(m.second) }
        add("concat(sequence(of: first, second))") { m in Observable.concat(OneByOne(items: [m.first, m.second])) }
        add("concat([first, second])") { m in Observable.concat([m.first, m.second]) }
        add("concat(first, second)") { m in Observable.concat(m.first, m.second) }
        add("flatMap { inner($0) }") { m in m.source.flatMap { m.letters("inner(\($0))") } }
        add("flatMapFirst { inner($0) }") { m in m.source.flatMapFirst { m.letters("inner(\($0))") } }
        add("flatMapLatest { inner($0) }") { m in m.source.flatMapLatest { m.letters("inner(\($0))") } }
        add("switchLatest()") { m in m.letters("source").map { m.ints($0) }.switchLatest() }
        add("merge()") { m in m.letters("source").map { m.ints($0) }.merge() }
        add("merge(maxConcurrent: 1)") { m in m.letters("source").map { m.ints($0) }.merge(maxConcurrent: 1) }
        add("concat()") { m in m.letters("source").map { m.ints($0) }.concat() }
        add("merge(set(of: first, second))") { m in Observable.merge(AnyCollection([m.first, m.second])) }
        add("merge([first, second])") { m in Observable.merge([m.first, m.second]) }
        add("merge(first, second)") { m in Observable.merge(m.first, m.second) }
        add("concatMap { inner($0) }") { m in m.source.concatMap { m.letters("inner(\($0))") } }
        add("retry()") { m in m.again.retry() }
        add("retry(2)") { m in m.again.retry(2) }
        add("catch(sequence: [first, second])") { m in Observable.catch(sequence: [m.first, m.second]) }
        add("retry(when: { $0.flatMap { _ in trigger } })") { m in
            m.again.retry(when: { (errors: Observable<Oops>) in errors.flatMap { _ in m.letters("trigger") } })
        }
        add("skip(until: other)") { m in m.source.skip(until: m.letters("other")) }
        add("take(until: other)") { m in m.source.take(until: m.letters("other")) }
        add(#"withLatestFrom(second) { "\($0)\($1)" }"#) { m in
            m.source.withLatestFrom(m.letters("second")) { "\($0)\($1)" }
        }
        add("withLatestFrom(second)") { m in m.source.withLatestFrom(m.letters("second")) }
        add(#"zip(first, second) { "\($0)\($1)" }"#) { m in
            Observable.zip(m.first, m.letters("second")) { "\($0)\($1)" }
        }
        add("zip(first, second)") { m in Observable.zip(m.first, m.letters("second")).map { "\($0),\($1)" } }
        add("zip([first, second]) { $0[0] + $0[1] }") { m in Observable.zip([m.first, m.second]) { $0[0] + $0[1] } }
        add("zip([first, second])") { m in Observable.zip([m.first, m.second]) }
        return add.list
    }()
}
