import Dispatch
import Foundation
import Rx
import RxBlocking
import RxFoundation
import RxTest

func schedulers() throws {
    let log = Log<String>()
    let serial = SerialDispatchQueueScheduler(qos: .default)
    let leeway = DispatchTimeInterval.milliseconds(1)
    let all: [any SchedulerType] = [
        serial,
        SerialDispatchQueueScheduler(qos: .utility, internalSerialQueueName: "serial"),
        SerialDispatchQueueScheduler(qos: .utility, internalSerialQueueName: "serial", leeway: leeway),
        SerialDispatchQueueScheduler(internalSerialQueueName: "serial"),
        SerialDispatchQueueScheduler(
            internalSerialQueueName: "serial", serialQueueConfiguration: { queue in log.append(queue.label) },
            leeway: leeway),
        SerialDispatchQueueScheduler(queue: DispatchQueue(label: "own"), internalSerialQueueName: "serial"),
        SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "serial", leeway: leeway),
        ConcurrentDispatchQueueScheduler(qos: .default),
        ConcurrentDispatchQueueScheduler(qos: .background, leeway: leeway),
        ConcurrentDispatchQueueScheduler(queue: DispatchQueue(label: "own", attributes: .concurrent)),
        ConcurrentDispatchQueueScheduler(queue: .global(), leeway: leeway),
    ]
    check(log.entries, ["serial"])
    for scheduler in all {
        check(try Observable.of(1, 2).observe(on: scheduler).toBlocking(timeout: 30).toArray(), [1, 2])
        check(scheduler.now.timeIntervalSinceNow > -60, true)
    }
    check(try Observable.of(1, 2).subscribe(on: serial).toBlocking(timeout: 30).toArray(), [1, 2])
    check(
        try Observable<Int>.interval(.milliseconds(1), scheduler: serial).take(3).toBlocking(timeout: 30).toArray(),
        [0, 1, 2])
    runs(on: serial)
    let serialTime: SerialDispatchQueueScheduler.Time = serial.now
    let serialInterval: SerialDispatchQueueScheduler.TimeInterval = 1
    check(serialTime.timeIntervalSinceNow < serialInterval, true)
    check(
        wait { done in
            serial.schedule(1) { _ in
                done(); return Disposables.create()
            }
        }
            && wait { done in
                serial.scheduleRelative(1, dueTime: .milliseconds(1)) { _ in
                    done(); return Disposables.create()
                }
            }
            && wait { done in
                serial.schedulePeriodic(1, startAfter: .milliseconds(1), period: .seconds(9)) { count in
                    done()
                    return count + 1
                }
            }, true)

    let concurrent = ConcurrentDispatchQueueScheduler(qos: .default)
    let concurrentTime: ConcurrentDispatchQueueScheduler.Time = concurrent.now
    let concurrentInterval: ConcurrentDispatchQueueScheduler.TimeInterval = 1
    check(concurrentTime.timeIntervalSinceNow < concurrentInterval, true)
    check(
        wait { done in
            concurrent.schedule(()) {
                done(); return Disposables.create()
            }
        }
            && wait { done in
                concurrent.scheduleRelative((), dueTime: .milliseconds(1)) {
                    done(); return Disposables.create()
                }
            }
            && wait { done in
                concurrent.schedulePeriodic((), startAfter: .milliseconds(1), period: .seconds(9)) { done() }
            }, true)

    let queue = OperationQueue()
    let operations = OperationQueueScheduler(operationQueue: queue)
    check(operations.operationQueue === queue, true)
    check(OperationQueueScheduler(operationQueue: queue, queuePriority: .high).queuePriority, .high)
    check(
        wait { done in
            operations.schedule(1) { _ in
                done(); return Disposables.create()
            }
        }, true)
    check(try Observable.of(1, 2).observe(on: operations).toBlocking(timeout: 30).toArray(), [1, 2])
}

/// Runs what signals, and returns whether it did.
func wait(for work: (@escaping @Sendable () -> Void) -> any Disposable) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let subscription = work { done.signal() }
    defer { subscription.dispose() }
    return done.wait(timeout: .now() + 30) == .success
}

func runs<Scheduler: SchedulerType>(on scheduler: Scheduler) {
    let now: RxTime = scheduler.now
    let interval: RxTimeInterval = .milliseconds(1)
    check(now.timeIntervalSinceNow < 60, true)
    check(
        wait { done in
            scheduler.scheduleRecursive(3) { (left: Int, recurse: (Int) -> Void) in
                if left == 0 { done() } else { recurse(left - 1) }
            }
        }, true)
    check(
        wait { done in
            scheduler.scheduleRelative(1, dueTime: interval) { _ in
                done(); return Disposables.create()
            }
        },
        true)
    check(
        wait { done in
            scheduler.schedulePeriodic(0, startAfter: interval, period: interval) { count in
                if count == 2 { done() }
                return count + 1
            }
        }, true)
}

func schedulersOfOneThread() {
    let log = Log<Int>()
    check(CurrentThreadScheduler.isScheduleRequired, true)
    let scheduled = CurrentThreadScheduler.instance.schedule(1) { state in
        log.append(state)
        check(CurrentThreadScheduler.isScheduleRequired, false)
        return CurrentThreadScheduler.instance.schedule(2) { state in
            log.append(state)
            return Disposables.create()
        }
    }
    scheduled.dispose()
    check(log.entries.first, 1)
    recursive(on: CurrentThreadScheduler.instance)

    let own = OwnScheduler()
    expect(Observable.of(1, 2).observe(on: own), gives: [1, 2])
    expect(Observable.of(1, 2).subscribe(on: own), gives: [1, 2])
    expect(Observable<Int>.timer(.seconds(1), scheduler: own), gives: [0])
    expect(Observable<Int>.interval(.seconds(1), scheduler: own).take(1), gives: [0])
    recursive(on: own)
}

func recursive<Scheduler: ImmediateSchedulerType>(on scheduler: Scheduler) {
    let log = Log<Int>()
    scheduler.scheduleRecursive(3) { (left: Int, recurse: (Int) -> Void) in
        log.append(left)
        if left > 0 { recurse(left - 1) }
    }
    .dispose()
    check(log.entries.first, 3)
    scheduler.schedule("text") { text in
        log.append(text.count)
        return Disposables.create()
    }
    .dispose()
}

/// A scheduler of the client's own: runs everything at once.
struct OwnScheduler: SchedulerType {
    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func schedulePeriodic<State: Sendable>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        _ = action(state)
        return Disposables.create()
    }
}

@MainActor
func mainSchedulers() async throws {
    MainScheduler.ensureExecutingOnScheduler()
    MainScheduler.ensureExecutingOnScheduler(errorMessage: "not on the main thread")
    MainScheduler.ensureRunningOnMainThread(errorMessage: "not on the main thread")
    let schedulers: [any SchedulerType] = [MainScheduler.instance, MainScheduler.asyncInstance, MainScheduler()]
    let bag = DisposeBag()
    let log = Log<Int>()
    for scheduler in schedulers {
        Observable.just(1).observe(on: scheduler).subscribe(onNext: { log.append($0) }).disposed(by: bag)
    }
    let concurrent: ConcurrentMainScheduler = .instance
    let time: ConcurrentMainScheduler.Time = concurrent.now
    let interval: ConcurrentMainScheduler.TimeInterval = 60
    check(time.timeIntervalSinceNow < interval, true)
    concurrent.schedule(2) {
        log.append($0); return Disposables.create()
    }.disposed(by: bag)
    concurrent.scheduleRelative(3, dueTime: .milliseconds(1)) {
        log.append($0); return Disposables.create()
    }
    .disposed(by: bag)
    concurrent.schedulePeriodic(4, startAfter: .milliseconds(2), period: .seconds(60)) {
        log.append($0); return 5
    }
    .disposed(by: bag)
    let deadline = Date(timeIntervalSinceNow: 30)
    while log.entries.count < 6, Date() < deadline { try await Task.sleep(for: .milliseconds(1)) }
    check(log.entries.sorted(), [1, 1, 1, 2, 3, 4])
}
