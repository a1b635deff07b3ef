import Rx
import RxTest

/// Local variables that closures change, as nearly every test of a view model does.
func capturedState() throws {
    var sum = 0
    var events: [Event<Int>] = []
    var isDisposed = false
    let bag = DisposeBag()
    let numbers = PublishSubject<Int>()
    numbers.subscribe { events.append($0) }.disposed(by: bag)
    numbers.do(onNext: { sum += $0 }).map { $0 + sum }.subscribe().disposed(by: bag)
    numbers.subscribe(onNext: { sum += $0 }, onDisposed: { isDisposed = true }).disposed(by: bag)
    numbers.onNext(1)
    numbers.onCompleted()
    check(sum, 2)
    check(events.count, 2)
    check(isDisposed, true)

    var attempts = 0
    let retried = Observable<Int>.create { observer in
        attempts += 1
        if attempts < 3 { observer.onError(Failure.one) } else { observer.on(.next(attempts)) }
        observer.onCompleted()
        return Disposables.create { attempts += 10 }
    }
    check(try retried.retry(2).toBlocking().toArray().count, 1)
    check(try Observable.deferred { Observable.just(attempts) }.toBlocking().single(), attempts)

    let scheduler = TestScheduler(initialClock: 0)
    var times: [Int] = []
    scheduler.scheduleAt(10) { times.append(scheduler.clock) }
    let callback: (Int) -> Void = { times.append($0) }
    Observable<Int>.interval(.seconds(5), scheduler: scheduler).take(2).subscribe(onNext: callback).disposed(by: bag)
    let transform: (Int) -> String = { "\($0 + times.count)" }
    let results = scheduler.start { numbers.startWith(1).map(transform) }
    check(results.events.count, 2)
    check(times, [0, 10, 1])
}

private func check<Value: Equatable>(_ found: @autoclosure () throws -> Value, _ wanted: Value?) {
    check(try? found(), wanted)
}
