import Rx
import RxTest
import Testing
import TestSupport

@Suite("Binder and Reactive", .leakFree)
struct BinderTests {
    @Test("a binder hands elements to its closure on its scheduler, with its object")
    func onScheduler() {
        let scheduler = TestScheduler(initialClock: 0)
        let log = Log()
        let binder = Binder<Int>(log, scheduler: scheduler) { $0.note("\($1) at \(scheduler.clock)") }
        scheduler.scheduleAt(10) {
            binder.onNext(1)
            log.note("sent")
        }
        scheduler.scheduleAt(20) { binder.asObserver().onNext(2) }
        scheduler.start()
        #expect(log.text == "sent, 1 at 11, 2 at 21")
    }

    @Test("a binder does nothing once its object has gone, and does not keep it")
    func weakly() {
        let log = Log()
        var target: Recorder<Int>? = Recorder()
        let scheduler = TestScheduler(initialClock: 0)
        let binder = Binder<Int>(target!, scheduler: scheduler) { _, element in log.note("\(element)") }
        binder.onNext(1)
        scheduler.start()
        binder.onNext(2)
        weak let gone = target
        target = nil
        #expect(gone == nil)
        scheduler.start()
        #expect(log.text == "1")
    }

    @Test("the end of a sequence is nothing to a binder")
    func completion() {
        let log = Log()
        let binder = Binder<Int>(log, scheduler: CurrentThreadScheduler.instance) { $0.note("\($1)") }
        _ = Observable.of(1, 2).bind(to: binder)
        _ = Observable.of(3).bind(to: binder)
        #expect(log.text == "1, 2, 3")
    }

    #if DEBUG
        @Test("an error sent to a binder stops a debug build")
        func error() async {
            await #expect(processExitsWith: .failure) {
                Binder<Int>(Log(), scheduler: CurrentThreadScheduler.instance) { _, _ in }.onError(Oops())
            }
        }
    #else
        @Test("an error sent to a binder of a release build is nothing to it")
        func error() {
            let log = Log()
            let binder = Binder<Int>(log, scheduler: CurrentThreadScheduler.instance) { $0.note("\($1)") }
            binder.onError(Oops())
            binder.onNext(1)
            #expect(log.text == "1")
        }
    #endif

    @Test("what is not given another place runs on the main actor, from any thread")
    func onMain() async {
        let label = Label()
        label.shout.onNext("a")
        let written = label.shout
        await Task.detached { written.onNext("b") }.value
        #expect(await eventually { label.log.text == "a!, b!" })
    }

    @Test("a property is bound by its name")
    @MainActor
    func dynamicMember() async {
        let label = Label()
        let bag = DisposeBag()
        Observable.just("a").bind(to: label.rx.text).disposed(by: bag)
        #expect(await eventuallyHere { label.text == "a" })
        Observable.just(1).bind(to: label.rx.count).disposed(by: bag)
        #expect(await eventuallyHere { label.count == 1 })
    }

    /// As `eventually`, for what belongs to the main actor.
    @MainActor
    private func eventuallyHere(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<10_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
        return condition()
    }

    @Test("a type has extensions too")
    func onType() {
        #expect(Label.rx.kind == "label")
    }

    @Test("an observer made of a closure receives every event; one made of an observer hands on to it")
    func anyObserver() {
        let log = Log()
        let observer = AnyObserver<Int> { log.note("\($0)") }
        observer.onNext(1)
        observer.on(.completed)
        AnyObserver<Int>(eventHandler: { log.note("\($0)") }).onNext(2)
        AnyObserver(observer).onNext(3)
        #expect(log.text == "next(1), completed, next(2), next(3)")
    }
}

@MainActor
private final class Label: ReactiveCompatible {
    var text = ""
    var count: Int?
    let log = Log()

    nonisolated init() {}

    nonisolated var shout: Binder<String> { Binder(self) { $0.shout($1) } }

    func shout(_ text: String) { log.note("\(text)!") }
}

extension Reactive where Base: Label {
    fileprivate static var kind: String { "label" }
}
