import Rx
import RxTraits

// Races that the compiler finds only after type checking, when it follows the values.

final class Counter {
    var count = 0
}

func shareWithMainActor(_ driver: Driver<Int>) async {
    let counter = Counter()
    // refused: sending 'counter' risks causing data races
    await MainActor.run { driver.drive(onNext: { counter.count += $0 }).dispose() }
    counter.count += 1
}

func shareWithOperator(_ driver: Driver<Int>) -> Driver<Int> {
    let counter = Counter()
    // refused: sending 'counter' risks causing data races
    let mapped = driver.map { $0 + counter.count }
    counter.count += 1
    return mapped
}

func shareWithLock() {
    let counter = Counter()
    // refused: sending 'counter' risks causing data races
    let locked = Locked(counter)
    counter.count += 1
    locked.withLock { $0.count += 1 }
}

func shareWithTask(_ numbers: Observable<Int>) {
    let counter = Counter()
    // refused: sending value of non-Sendable type '() async throws -> ()' risks causing data races
    Task { for try await number in numbers.values { counter.count += number } }
    counter.count += 1
}
