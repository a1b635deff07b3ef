import Rx

final class Counter {
    var count = 0
}

func count(_ numbers: Observable<Int>, with counter: Counter, transform: @escaping (Int) -> Int) {
    // refused: capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure
    numbers.subscribe(onNext: { counter.count += $0 }).dispose()
    // refused: passing non-Sendable parameter 'transform' to function expecting a '@Sendable' closure
    numbers.map(transform).subscribe().dispose()
    // refused: type 'Counter' does not conform to the 'Sendable' protocol
    numbers.subscribe(with: counter).dispose()
}
