import Dispatch
import Rx
import RxTest

extension MarbleReplay {
    static let creation: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add("create { $0.onNext(1); $0.onCompleted(); … }") { _ in
            Observable<Int>.create {
                $0.onNext(1); $0.onCompleted(); return Disposables.create()
            }
        }
        add("deferred { inner }") { m in Observable.deferred { m.ints("inner") } }
        add("empty()") { _ in Observable<Int>.empty() }
        add("error(failure)") { _ in Observable<Int>.error(Oops()) }
        add("of(1, 2, 3)") { _ in Observable.of(1, 2, 3) }
        add("from([1, 2, 3])") { _ in Observable.from([1, 2, 3]) }
        add("from(1...3)") { _ in Observable.from(1...3) }
        add("from(optional: 1)") { _ in Observable.from(optional: 1) }
        add("from(optional: nil)") { _ in Observable<Int>.from(optional: nil) }
        add("generate(initialState: 1, condition: { $0 < 9 }, iterate: { $0 * 2 })") { _ in
            Observable.generate(initialState: 1, condition: { $0 < 9 }, iterate: { $0 * 2 })
        }
        add("just(1)") { _ in Observable.just(1) }
        add("never()") { _ in Observable<Int>.never() }
        add("range(start: 5, count: 3)") { _ in Observable.range(start: 5, count: 3) }
        add("repeatElement(7).take(3)") { _ in Observable.repeatElement(7).take(3) }
        add("just(1, scheduler: s)") { m in Observable.just(1, scheduler: m.scheduler) }
        add("from(optional: 1, scheduler: s)") { m in Observable.from(optional: 1, scheduler: m.scheduler) }
        add("from(optional: nil, scheduler: s)") { m in Observable<Int>.from(optional: nil, scheduler: m.scheduler) }
        add("interval(3)") { m in Observable<Int>.interval(.seconds(3), scheduler: m.scheduler) }
        add("timer(4)") { m in Observable<Int>.timer(.seconds(4), scheduler: m.scheduler) }
        add("timer(4, period: 2)") { m in
            Observable<Int>.timer(.seconds(4), period: .seconds(2), scheduler: m.scheduler)
        }
        add("using({ resource }) { _ in inner }") { m in
            Observable.using({ BooleanDisposable() }) { _ in m.ints("inner") }
        }
        return add.list
    }()
}
