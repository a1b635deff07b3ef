import Rx
import RxAction

/// Random calls of everything an action offers, from several threads.
final class Storm: Sendable {
    /// Work that ends when the storm ends it, with the only thread that may use it.
    private struct Open {
        let id: ExecutionID
        let subject: PublishSubject<ExecutionID>
    }

    let model: StormModel
    private let action: Action<Int, ExecutionID>
    private let condition = BehaviorSubject(value: true)
    private let open: Locked<[Open]>
    private let known = Locked<[Execution<ExecutionID>]>([])
    private let box: Locked<Action<Int, ExecutionID>?>
    private let bag = DisposeBag()

    let accepted = Locked<Set<ExecutionID>>([])
    let refused = Locked(0)
    let executes = Locked(0)
    let faults = Locked<[String]>([])
    /// The ends that callers of `execute` have seen.
    let results = Locked(0)

    init(_ overlap: Overlap, isConditional: Bool, changesOverlap: Bool) {
        let model = StormModel(overlap: changesOverlap ? nil : overlap, isConditional: isConditional)
        let open = Locked<[Open]>([])
        let box = Locked<Action<Int, ExecutionID>?>(nil)
        self.model = model
        self.open = open
        self.box = box
        action = Action(
            enabledIf: condition, overlap: overlap,
            work: { input, context in
                let id = context.id
                switch input % 8 {
                case 0, 1: return .of(id, id)
                case 2: return Observable.just(id).concat(Observable.error(Oops()))
                case 3:
                    // Work that makes the action do more, within the factory.
                    box.withLock { $0 }?.start(input / 8)
                    return .just(id)
                case 4:
                    // Takes its time to stop.
                    context.onCancel { _ in }
                default: break
                }
                let subject = PublishSubject<ExecutionID>()
                return Observable.create { observer in
                    let subscription = subject.subscribe(observer)
                    open.withLock { $0.append(Open(id: id, subject: subject)) }
                    return subscription
                }
            }, onTransition: { model.tell($0) })
        box.withLock { $0 = action }
        // Two levels as others see them: distinct.
        for (name, level) in [("executing", action.executing), ("enabled", action.enabled)] {
            let last = Locked<Bool?>(nil)
            level.subscribe(onNext: { [faults] value in
                let repeats = last.withLock { last in
                    defer { last = value }
                    return last == value
                }
                if repeats { faults.withLock { $0.append("\(name) repeats") } }
            }).disposed(by: bag)
        }
    }

    /// One thread's share. Only the first one speaks for the condition and changes the overlap.
    func blow(_ steps: Int, seed: UInt64, thread: Int, isConditional: Bool, overlaps: [Overlap]) {
        var random = Random(seed: seed &+ UInt64(thread) &* 7919)
        for _ in 0..<steps {
            let input = Int.random(in: 0..<4096, using: &random)
            switch Int.random(in: 0..<16, using: &random) {
            case 0...3: start(input)
            case 4, 5: execute(input)
            case 6: _ = action.check()
            case 7: cancelOne(&random)
            case 8 where isConditional && thread == 0: condition.onNext(Int.random(in: 0..<4, using: &random) > 0)
            case 9 where thread == 0:
                if let overlap = overlaps.randomElement(using: &random) { action.overlap = overlap }
            case 10: if action.isEnabled { start(input) }
            default: moveOne(&random)
            }
        }
    }

    /// Everything that is open ends, and no execution is left.
    func calm() -> Bool {
        condition.onNext(true)
        while let one = open.withLock({ $0.popLast() }) { one.subject.onCompleted() }
        box.withLock { $0 = nil }
        return !action.isExecuting && action.isEnabled
    }

    private func start(_ input: Int) {
        switch action.start(input) {
        case .success(let execution):
            accepted.withLock { _ = $0.insert(execution.id) }
            known.withLock { known in
                // A few, not all: those that are not kept must not depend on it.
                if known.count < 64 { known.append(execution) } else { known[input % 64] = execution }
            }
        case .failure:
            refused.withLock { $0 += 1 }
        }
    }

    private func execute(_ input: Int) {
        executes.withLock { $0 += 1 }
        let ids = Locked<Set<ExecutionID>>([])
        let isOver = Locked(false)
        _ = action.execute(input).subscribe { [faults, results] event in
            if isOver.withLock({ $0 }) { faults.withLock { $0.append("an event after the end") } }
            switch event {
            case .next(let id):
                if ids.withLock({
                    $0.insert(id); return $0.count
                }) > 1 {
                    faults.withLock { $0.append("a caller got another's element") }
                }
            case .completed, .error:
                isOver.withLock { $0 = true }
                results.withLock { $0 += 1 }
            }
        }
    }

    private func cancelOne(_ random: inout Random) {
        known.withLock { $0.randomElement(using: &random) }?.cancel()
    }

    private func moveOne(_ random: inout Random) {
        let choice = Int.random(in: 0..<4, using: &random)
        let one = open.withLock { open -> Open? in
            guard !open.isEmpty else { return nil }
            open.swapAt(Int.random(in: 0..<open.count, using: &random), open.count - 1)
            return open.popLast()
        }
        guard let one else { return }
        switch choice {
        case 0:
            one.subject.onNext(one.id)
            open.withLock { $0.append(one) }
        case 1: one.subject.onError(Oops())
        default: one.subject.onCompleted()
        }
    }
}

/// SplitMix64.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
