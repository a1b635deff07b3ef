import Dispatch
import Rx
import RxBlocking

func blocking() throws {
    let numbers = Observable.of(1, 2, 3)
    let blocking: BlockingObservable<Int> = numbers.toBlocking()
    check(try blocking.toArray(), [1, 2, 3])
    check(try numbers.toBlocking().first(), 1)
    check(try numbers.toBlocking(timeout: 5).last(), 3)
    check(try Single.just(7).toBlocking().single(), 7)
    check(try numbers.toBlocking().single { $0 == 2 }, 2)
    switch numbers.toBlocking().materialize() {
    case .completed(let elements): check(elements, [1, 2, 3])
    case .failed: check(false, true)
    }
    switch Observable.concat(.just(1), .error(Failure.one)).toBlocking().materialize() {
    case .completed: check(false, true)
    case .failed(let elements, let error):
        check(elements, [1])
        check(error as? Failure, .one)
    }
    let result: MaterializedSequenceResult<Int> = Observable<Int>.never().toBlocking(timeout: 0.01).materialize()
    if case .failed(elements: let elements, error: let error) = result {
        check(elements, [])
        check("\(error)", "\(RxError.timeout)")
    } else {
        check(false, true)
    }
    do {
        _ = try numbers.toBlocking().single()
        check(false, true)
    } catch RxError.moreThanOneElement {
        check(true, true)
    }

    let background = Observable<Int>.timer(.milliseconds(1), scheduler: SerialDispatchQueueScheduler(qos: .default))
    check(try background.toBlocking(timeout: 30).toArray(), [0])
}
