import Rx

func total(_ numbers: Observable<Int>) -> Int {
    var sum = 0
    // refused: mutation of captured var 'sum' in concurrently-executing code
    numbers.subscribe(onNext: { sum += $0 }).dispose()
    // refused: mutation of captured var 'sum' in concurrently-executing code
    numbers.subscribe { event in sum += event.element ?? 0 }.dispose()
    // refused: mutation of captured var 'sum' in concurrently-executing code
    numbers.do(onNext: { sum += $0 }).subscribe().dispose()
    // refused: reference to captured var 'sum' in concurrently-executing code
    numbers.map { $0 + sum }.subscribe().dispose()
    return sum
}
