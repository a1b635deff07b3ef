import Testing
import TestSupport

@testable import Rx

@Suite("Disposables of several owners, and programming errors", .leakFree)
struct RefCountDisposableTests {
    private final class Counter: Sendable {
        private let calls = Locked(0)
        var count: Int { calls.withLock { $0 } }
        func make() -> any Cancelable { Disposables.create { [calls] in calls.withLock { $0 += 1 } } }
    }

    @Test("a RefCountDisposable disposes when its owner and all who retained it have let go, in any order")
    func letGo() {
        for ownerFirst in [true, false] {
            let counter = Counter()
            let shared = RefCountDisposable(disposable: counter.make())
            let first = shared.retain(), second = shared.retain()
            if ownerFirst { shared.dispose() }
            first.dispose()
            first.dispose()
            #expect(!shared.isDisposed)
            second.dispose()
            if !ownerFirst {
                #expect(counter.count == 0)
                shared.dispose()
            }
            #expect(shared.isDisposed)
            #expect(counter.count == 1)
            shared.dispose()
            shared.retain().dispose()
            #expect(counter.count == 1)
        }
    }

    @Test("the owner lets go once, however often it is disposed")
    func ownerOnce() {
        let counter = Counter()
        let shared = RefCountDisposable(disposable: counter.make())
        let use = shared.retain()
        shared.dispose()
        shared.dispose()
        #expect(counter.count == 0)
        use.dispose()
        #expect(counter.count == 1)
    }

    @Test("between threads what is held is disposed once")
    func threads() async {
        for _ in 0..<200 {
            let counter = Counter()
            let shared = RefCountDisposable(disposable: counter.make())
            let use = shared.retain()
            let isThrough = await race(
                rounds: 1, { _ in shared.dispose() }, { _ in use.dispose() }, { _ in shared.retain().dispose() })
            #expect(isThrough)
            #expect(counter.count == 1)
        }
    }

    @Test("a CompositeDisposable takes any number, and disposes in the order they came")
    func composite() {
        let order = Locked<[Int]>([])
        func noting(_ number: Int) -> any Disposable { Disposables.create { order.withLock { $0.append(number) } } }
        let composite = CompositeDisposable(noting(1), noting(2), noting(3), noting(4), noting(5), noting(6))
        #expect(composite.count == 6)
        _ = composite.insert(noting(7))
        composite.dispose()
        composite.dispose()
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5, 6, 7])
        #expect(CompositeDisposable(noting(1), noting(2)).count == 2)
        #expect(CompositeDisposable(noting(1), noting(2), noting(3)).count == 3)
        #expect(CompositeDisposable(disposables: []).count == 0)
    }

    @Test("a disposable may dispose what holds it")
    func withinItself() {
        let composite = CompositeDisposable()
        let serial = SerialDisposable()
        let single = SingleAssignmentDisposable()
        let bag = CompositeDisposable()
        _ = composite.insert(Disposables.create { composite.dispose() })
        serial.disposable = Disposables.create { serial.disposable = Disposables.create { bag.dispose() } }
        single.setDisposable(Disposables.create { single.dispose() })
        composite.dispose()
        serial.dispose()
        single.dispose()
        #expect(composite.isDisposed)
        #expect(bag.isDisposed)
        #expect(single.isDisposed)
    }

    @Test("a bag is built with if, switch and for")
    func builder() {
        let counter = Counter()
        func build(_ extra: Bool, _ times: Int) -> DisposeBag {
            DisposeBag {
                counter.make()
                if extra { counter.make() }
                if extra {
                    counter.make()
                } else {
                    counter.make()
                    counter.make()
                }
                for _ in 0..<times { counter.make() }
                [counter.make(), counter.make()]
            }
        }
        #expect(build(true, 0).count == 5)
        #expect(build(false, 3).count == 8)
        #expect(counter.count == 13)
        let bag = DisposeBag()
        bag.insert { counter.make() }
        bag.insert([counter.make()])
        bag.insert(counter.make(), counter.make())
        #expect(bag.count == 4)
        #expect(DisposeBag.DisposableBuilder.buildBlock(counter.make(), counter.make()).count == 2)
    }

    @Test("a bag forgets what is over by itself, of whatever kind of subscription, and keeps what is not")
    func bagForgets() {
        let bag = DisposeBag()
        let subject = PublishSubject<Int>()
        subject.take(1).subscribe().disposed(by: bag)
        subject.take(1).subscribe(Recorder<Int>()).disposed(by: bag)
        subject.take(1).subscribe { _ in }.disposed(by: bag)
        subject.take(1).subscribe(with: bag, onNext: { _, _ in }).disposed(by: bag)
        subject.take(1).publish().connect().disposed(by: bag)
        subject.first().subscribe().disposed(by: bag)
        subject.subscribe().disposed(by: bag)
        Disposables.create().disposed(by: bag)
        #expect(bag.count == 8)
        subject.onNext(1)
        #expect(bag.count == 2)
        subject.onCompleted()
        #expect(bag.count == 1)
    }

    #if !RX_TSAN
        @Test("a SingleAssignmentDisposable set twice is a programming error")
        func setTwice() async {
            await #expect(processExitsWith: .failure) {
                let single = SingleAssignmentDisposable()
                single.setDisposable(Disposables.create())
                single.setDisposable(Disposables.create())
            }
        }

        @Test("a negative number to replay is a programming error")
        func negativeReplay() async {
            await #expect(processExitsWith: .failure) { _ = Observable.just(1).share(replay: -1) }
            await #expect(processExitsWith: .failure) { _ = Observable.just(1).replay(-1) }
        }
    #endif
}
