// Actions: ns an execute, what a million of them leave behind, and a hundred thousand inputs that wait and are drained.

import CAllocations
import Rx
import RxAction

/// Mutated by the one thread of this program.
final class Counter: @unchecked Sendable { var value = 0 }

func report(_ name: String, _ count: Int, _ body: () -> Void) {
    let before = allocated_bytes()
    let time = ContinuousClock().measure(body)
    let after = allocated_bytes()
    let ns = Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
    let grown = after > before ? after - before : 0
    print("\(name): \(Int(ns / Double(count))) ns each of \(count), \(grown) bytes more than before")
}

let million = 1_000_000
do {
    let action = Action<Int, Int> { .just($0) }
    for input in 0..<1_000 { action.execute(input) }
    report("execute of just", million) { for input in 0..<million { action.execute(input) } }
}
do {
    let sum = Counter()
    let action = Action<Int, Int> { .just($0) }
    report("execute of just, result subscribed", million) {
        for input in 0..<million { _ = action.execute(input).subscribe(onNext: { sum.value += $0 }) }
    }
}
do {
    let told = Counter()
    let action = Action<Int, Int>(workFactory: { .just($0) }, onTransition: { _ in told.value += 1 })
    report("start of just, every transition observed", million) { for input in 0..<million { action.start(input) } }
}
do {
    let action = Action<Int, Int> { _ in .never() }
    let first = action.start(0)
    report("start refused", million) { for input in 0..<million { action.start(input) } }
    if case .success(let execution) = first { execution.cancel() }
}
do {
    let waiting = 100_000
    let first = PublishSubject<Int>()
    let next = Counter(), misplaced = Counter()
    let action = Action<Int, Int>(overlap: .queue(limit: waiting)) { $0 == 0 ? first.asObservable() : .just($0) }
    let elements = action.elements.subscribe(onNext: { element in
        next.value += 1
        if element != next.value { misplaced.value += 1 }
    })
    report("input that waits", waiting) { for input in 0...waiting { action.start(input) } }
    report("input drained", waiting) { first.onCompleted() }
    print("drained: \(next.value) of \(waiting), \(misplaced.value) out of order")
    elements.dispose()
}
