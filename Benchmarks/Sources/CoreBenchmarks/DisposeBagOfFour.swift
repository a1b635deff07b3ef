internal import OpenCombine
internal import Rx

/// A bag made, filled with four disposables, and released; an event is one bag. By hand: an object that calls four
/// closures when it is deallocated.
func disposeBagOfFour() -> Comparison {
    Comparison(
        name: "DisposeBag of four", goal: 2.5, eventsPerRound: 50_000,
        contenders: [
            .init(name: "Rx") { count in
                let sum = Sum()
                for _ in 0..<count {
                    let bag = DisposeBag()
                    for _ in 0..<4 { Disposables.create { sum.value &+= 1 }.disposed(by: bag) }
                }
                return sum.value
            },
            .init(name: "closures") { count in
                let sum = Sum()
                for _ in 0..<count {
                    let bag = ClosureBag()
                    for _ in 0..<4 { bag.add { sum.value &+= 1 } }
                }
                return sum.value
            },
            .init(name: "OpenCombine") { count in
                let sum = Sum()
                for _ in 0..<count {
                    var bag: Set<AnyCancellable> = []
                    for _ in 0..<4 { AnyCancellable { sum.value &+= 1 }.store(in: &bag) }
                }
                return sum.value
            },
        ])
}

private final class ClosureBag {
    @exclusivity(unchecked) private var closures: [() -> Void] = []

    deinit { for closure in closures { closure() } }

    @inline(never)
    func add(_ closure: @escaping () -> Void) { closures.append(closure) }
}
