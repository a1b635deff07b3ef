// Reactors: ns a dispatch beside closures that do the same by hand, and one changed cell of ten thousand.

import Rx
import RxReactor

/// The smallest reactor, with none or with all three of its transforms.
final class Counter: Reactor {
    enum Action { case add(Int) }
    enum Mutation { case add(Int) }
    struct State { var sum = 0 }

    let initialState = State()
    let store = Store()
    private let transforms: Bool

    init(transforms: Bool = false) { self.transforms = transforms }

    func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .add(let number): .just(.add(number))
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        switch mutation {
        case .add(let number): State(sum: state.sum &+ number)
        }
    }

    func transform(action: Observable<Action>) -> Observable<Action> { transforms ? action.map { $0 } : action }
    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        transforms ? .merge(mutation, .never()) : mutation
    }
    func transform(state: Observable<State>) -> Observable<State> { transforms ? state.map { $0 } : state }
}

/// What one would write instead: a state behind a lock, and closures that are called.
final class ByHand: Sendable {
    private let sum = Locked(0)
    private let told: @Sendable (Int) -> Void

    init(_ told: @escaping @Sendable (Int) -> Void) { self.told = told }

    @inline(never)
    func dispatch(_ number: Int) {
        told(
            sum.withLock { sum in
                sum &+= number
                return sum
            })
    }
}

struct Cell: Identifiable, Equatable, Sendable {
    let id: Int
    var title: String
    var memo: String
}

final class Sheet: Reactor {
    typealias Action = Cell

    let initialState: KeyedList<Cell>
    let store = Store()

    init(_ cells: [Cell]) { initialState = KeyedList(cells) }

    func reduce(state: KeyedList<Cell>, mutation: Cell) -> KeyedList<Cell> {
        var state = state
        state[id: mutation.id] = mutation
        return state
    }
}

final class ArraySheet: Reactor {
    typealias Action = Cell

    let initialState: [Cell]
    let store = Store()

    init(_ cells: [Cell]) { initialState = cells }

    func reduce(state: [Cell], mutation: Cell) -> [Cell] {
        var state = state
        state[mutation.id] = mutation
        return state
    }
}

let rounds = 5

/// The fastest of some rounds.
@MainActor
func report(_ name: String, _ count: Int, than base: Double? = nil, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let ns = (0..<rounds).map { _ in clock.measure(body) / .nanoseconds(1) / Double(count) }.min() ?? 0
    let perSecond = Int(1e9 / ns)
    print("\(name): \(Int(ns)) ns, \(perSecond) a second" + (base.map { ", \(Int(ns / $0)) times the closures" } ?? ""))
    return ns
}

let seen = Locked(0)
let million = 1_000_000
let byHand = ByHand { sum in seen.withLock { $0 = sum } }
let closures = report("closures with a lock", million) { for _ in 0..<million { byHand.dispatch(1) } }

for (name, transforms) in [("dispatch", false), ("dispatch through three transforms", true)] {
    let counter = Counter(transforms: transforms)
    let states = counter.state.subscribe(onNext: { state in seen.withLock { $0 = state.sum } })
    let action = counter.action
    let before = counter.currentState.sum
    _ = report(name, million, than: closures) { for _ in 0..<million { action.onNext(.add(1)) } }
    precondition(counter.currentState.sum == before + rounds * million, "every action counts")
    states.dispose()
}
do {
    let counter = Counter()
    let ends = Locked(0)
    _ = report("dispatch, with its end", million, than: closures) {
        for _ in 0..<million { counter.dispatch(.add(1)) { _ in ends.withLock { $0 += 1 } } }
    }
    precondition(ends.withLock { $0 } == rounds * million, "every dispatch ends")
}
do {
    let counter = Counter()
    let count = 100_000
    let mutations = [Counter.Mutation](repeating: .add(1), count: count)
    var sum = 0
    _ = report("mutation replayed", count) {
        sum = mutations.reduce(counter.initialState) { counter.reduce(state: $0, mutation: $1) }.sum
    }
    precondition(sum == count)
}

let cells = (0..<10_000).map {
    Cell(id: $0, title: "the title of cell \($0)", memo: "a memo that is long enough for the heap \($0)")
}
let steps = Locked(0)
let changed = 2_000
do {
    let sheet = Sheet(cells)
    let rows = sheet.state.keyedChanges().subscribe(onNext: { event in
        if case .changes(let changes) = event { steps.withLock { $0 += changes.steps.count } }
    })
    let action = sheet.action
    var version = 0
    let keyed = report("one of 10000 cells changed, its keyed change published", changed) {
        for index in 0..<changed {
            version += 1
            action.onNext(Cell(id: index * 5, title: "changed \(version)", memo: ""))
        }
    }
    rows.dispose()
    let array = ArraySheet(cells)
    let arrayRows = array.state.keyedChanges().subscribe(onNext: { event in
        if case .changes(let changes) = event { steps.withLock { $0 += changes.steps.count } }
    })
    let arrayAction = array.action
    let whole = report("the same with an array", changed / 20) {
        for index in 0..<changed / 20 {
            version += 1
            arrayAction.onNext(Cell(id: index * 5, title: "changed \(version)", memo: ""))
        }
    }
    arrayRows.dispose()
    print("an array takes \(Int(whole / keyed)) times as long as a keyed list")
    precondition(steps.withLock { $0 } == rounds * (changed + changed / 20), "a step each")
}
