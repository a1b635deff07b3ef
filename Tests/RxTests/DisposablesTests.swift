import Testing
import TestSupport

@testable import Rx

@Suite("Disposables", .leakFree)
struct DisposablesTests {
    private final class Counter: Sendable {
        private let calls = Locked(0)
        var count: Int { calls.withLock { $0 } }
        func make() -> any Cancelable { Disposables.create { [calls] in calls.withLock { $0 += 1 } } }
    }

    @Test("a closure is called by the first dispose only")
    func once() {
        let counter = Counter()
        let disposable = counter.make()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        disposable.dispose()
        #expect(disposable.isDisposed)
        #expect(counter.count == 1)
    }

    @Test("several are disposed together, whatever their number")
    func together() {
        let counter = Counter()
        Disposables.create(counter.make(), counter.make()).dispose()
        Disposables.create(counter.make(), counter.make(), counter.make()).dispose()
        Disposables.create(counter.make(), counter.make(), counter.make(), counter.make(), counter.make()).dispose()
        Disposables.create([counter.make()]).dispose()
        #expect(counter.count == 11)
    }

    @Test("a BooleanDisposable remembers")
    func boolean() {
        let disposable = BooleanDisposable()
        #expect(!disposable.isDisposed)
        disposable.dispose()
        #expect(disposable.isDisposed)
        #expect(BooleanDisposable(isDisposed: true).isDisposed)
    }

    @Test("a SingleAssignmentDisposable disposes what it gets, before or after")
    func singleAssignment() {
        let counter = Counter()
        let early = SingleAssignmentDisposable()
        early.setDisposable(counter.make())
        #expect(counter.count == 0)
        early.dispose()
        #expect(counter.count == 1)
        let late = SingleAssignmentDisposable()
        late.dispose()
        late.setDisposable(counter.make())
        #expect(counter.count == 2)
        #expect(late.isDisposed)
    }

    @Test("a SerialDisposable disposes the one it held for the next")
    func serial() {
        let counter = Counter()
        let serial = SerialDisposable()
        serial.disposable = counter.make()
        serial.disposable = counter.make()
        #expect(counter.count == 1)
        serial.dispose()
        #expect(counter.count == 2)
        serial.disposable = counter.make()
        #expect(counter.count == 3)
        #expect(serial.isDisposed)
    }

    @Test("a CompositeDisposable disposes members, one by key or all")
    func composite() {
        let counter = Counter()
        let composite = CompositeDisposable()
        let key = composite.insert(counter.make())
        _ = composite.insert(counter.make())
        #expect(composite.count == 2)
        if let key { composite.remove(for: key) }
        #expect(counter.count == 1)
        composite.dispose()
        #expect(counter.count == 2)
        #expect(composite.insert(counter.make()) == nil)
        #expect(counter.count == 3)
        #expect(composite.count == 0)
    }

    @Test("a ScheduledDisposable disposes on its scheduler")
    func scheduled() {
        let counter = Counter()
        let disposable = ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: counter.make())
        let countWhileRunning = Locked(-1)
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            disposable.dispose()
            countWhileRunning.withLock { $0 = counter.count }
            return Disposables.create()
        }
        #expect(countWhileRunning.withLock { $0 } == 0)
        #expect(counter.count == 1)
    }

    @Test("a bag disposes its members when it goes away")
    func bag() {
        let counter = Counter()
        do {
            let bag = DisposeBag(disposing: counter.make())
            counter.make().disposed(by: bag)
            bag.insert(counter.make(), counter.make())
            bag.insert {
                counter.make()
                counter.make()
            }
            let subscription = Observable<Int>.never().subscribe(onDisposed: { counter.make().dispose() })
            subscription.disposed(by: bag)
            #expect(counter.count == 0)
            #expect(bag.count == 7)
        }
        #expect(counter.count == 7)
    }

    @Test("a bag forgets subscriptions that are over")
    func bagForgets() {
        let bag = DisposeBag()
        let subject = PublishSubject<Int>()
        for _ in 0..<100 { subject.take(1).subscribe().disposed(by: bag) }
        Observable.just(1).subscribe().disposed(by: bag)
        let open = subject.subscribe()
        open.disposed(by: bag)
        #expect(bag.count == 101)
        subject.onNext(1)
        #expect(bag.count == 1)
        open.dispose()
        #expect(bag.count == 0)
    }
}
