import Foundation
import Rx

func disposables() {
    let log = Log<Int>()
    func noted(_ number: Int) -> any Cancelable { Disposables.create { log.append(number) } }

    Disposables.create().dispose()
    let made = Disposables.create(with: { log.append(1) })
    made.dispose()
    made.dispose()
    check(made.isDisposed, true)
    Disposables.create(noted(2), noted(3)).dispose()
    Disposables.create(noted(4), noted(5), noted(6)).dispose()
    Disposables.create(noted(7), noted(8), noted(9), noted(10)).dispose()
    Disposables.create([noted(11), noted(12)]).dispose()
    check(log.entries.sorted(), Array(1...12))

    let boolean = BooleanDisposable()
    boolean.dispose()
    check(boolean.isDisposed, true)
    check(BooleanDisposable(isDisposed: true).isDisposed, true)

    let assigned = SingleAssignmentDisposable()
    assigned.setDisposable(noted(13))
    assigned.dispose()
    check(assigned.isDisposed, true)

    let serial = SerialDisposable()
    serial.disposable = noted(14)
    serial.disposable = Disposables.create()
    serial.disposable.dispose()
    serial.dispose()
    check(serial.isDisposed, true)

    let counted = RefCountDisposable(disposable: noted(15))
    let retained = counted.retain()
    counted.dispose()
    check(log.entries.last, 14)
    retained.dispose()
    check(counted.isDisposed, true)

    let scheduled = ScheduledDisposable(scheduler: CurrentThreadScheduler.instance, disposable: noted(16))
    check(scheduled.scheduler is CurrentThreadScheduler, true)
    scheduled.dispose()
    check(scheduled.isDisposed, true)
    check(log.entries.suffix(4), [13, 14, 15, 16])

    let own = OwnDisposable(log)
    own.dispose()
    check(own.isDisposed, true)
    let asBase: any Disposable = OwnBase()
    asBase.dispose()
    check(kind(of: boolean), "DisposeBase")
}

func kind(of base: DisposeBase) -> String { "DisposeBase" }

/// A disposable of the client's own that can be asked.
final class OwnDisposable: Cancelable, @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.
    private let lock = NSLock()
    private var disposed = false
    private let log: Log<Int>

    init(_ log: Log<Int>) { self.log = log }

    var isDisposed: Bool {
        lock.lock()
        defer { lock.unlock() }
        return disposed
    }

    func dispose() {
        lock.lock()
        defer { lock.unlock() }
        if !disposed { log.append(0) }
        disposed = true
    }
}

struct OwnBase: Disposable {
    func dispose() {}
}

func composites() {
    let log = Log<Int>()
    func noted(_ number: Int) -> any Disposable { Disposables.create { log.append(number) } }

    let composite = CompositeDisposable()
    let key: CompositeDisposable.DisposeKey? = composite.insert(noted(1))
    _ = composite.insert(noted(2))
    check(composite.count, 2)
    if let key { composite.remove(for: key) }
    check(log.entries, [1])
    composite.dispose()
    check(composite.isDisposed, true)
    check(composite.insert(noted(3)) == nil, true)
    CompositeDisposable(noted(4), noted(5)).dispose()
    CompositeDisposable(noted(6), noted(7), noted(8)).dispose()
    CompositeDisposable(noted(9), noted(10), noted(11), noted(12), noted(13)).dispose()
    CompositeDisposable(disposables: [noted(14)]).dispose()
    check(log.entries.sorted(), Array(1...14))
}

func bags() {
    let log = Log<Int>()
    func noted(_ number: Int) -> any Disposable { Disposables.create { log.append(number) } }

    var bag = DisposeBag()
    noted(1).disposed(by: bag)
    bag.insert(noted(2))
    bag.insert(noted(3), noted(4))
    bag.insert([noted(5), noted(6)])
    bag.insert {
        noted(7)
        noted(8)
    }
    bag = DisposeBag()
    check(log.entries.sorted(), Array(1...8))
    bag = DisposeBag(disposing: noted(9), noted(10))
    bag = DisposeBag(disposing: [noted(11)])
    bag = DisposeBag {
        noted(12)
        noted(13)
    }
    bag = DisposeBag(builder: { noted(14) })
    bag.insert(builder: { noted(15) })
    for disposable in DisposeBag.DisposableBuilder.buildBlock(noted(16), noted(17)) { disposable.disposed(by: bag) }
    bag = DisposeBag()
    check(log.entries.sorted(), Array(1...17))
    _ = bag
}
