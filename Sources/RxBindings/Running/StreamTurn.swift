internal import RxPlatform
internal import RxStreams

/// A turn that is under way: how long it may go on, and that it makes progress.
///
/// A turn ends by time, so that the others of its lane get theirs; nothing that has begun is cut. The programs of a
/// batch are evaluated first, and there is as much time again to pass its elements on: what is put back is evaluated
/// again.
// Unchecked: belongs to the thread that takes the turn.
final class StreamTurn: @unchecked Sendable {
    /// The turn that this thread takes.
    @TaskLocal static var current: StreamTurn?

    /// After which it begins with nothing more: many times what a full batch of quick programs takes.
    static let length = Duration.milliseconds(50)
    /// How much longer it may go on before another lane takes its place: what one program may take.
    private static let patience = Duration.seconds(1)
    /// The clock is read once for so many elements, which take some µs each, and after each program.
    private static let elementsPerReading = 32

    private let clock: MonotonicClock
    private let end: Duration
    private let progress: @Sendable (_ isLong: Bool) -> Void
    /// Until when the elements of a batch are passed on.
    private var batchEnd: Duration
    private var isCut = false
    private var elements = 0

    /// - Parameter progress: called on the thread of the turn whenever a program has run. `isLong`: whether the turn is
    ///   long over and still goes on.
    init(_ clock: MonotonicClock, progress: @escaping @Sendable (_ isLong: Bool) -> Void = { _ in }) {
        self.clock = clock
        self.progress = progress
        end = clock.now + Self.length
        batchEnd = end
    }

    /// Whether the turn begins with nothing more.
    var isOver: Bool { isCut || clock.now >= end }

    /// Whether it goes on with the next element. To be asked after each one.
    func mayGoOn() -> Bool {
        elements += 1
        if !isCut, elements.isMultiple(of: Self.elementsPerReading) { isCut = clock.now >= batchEnd }
        return !isCut
    }

    /// A program has run, for one element or for several of a batch.
    fileprivate func noteProgram(ofBatch: Bool) {
        let now = clock.now
        if ofBatch { batchEnd = now + Self.length } else if now >= batchEnd { isCut = true }
        progress(now >= end + Self.patience)
    }
}

/// Programs whose ends are progress of the turn that evaluates them.
final class TurnPrograms: ProgramEvaluator {
    private let evaluator: any ProgramEvaluator

    init(_ evaluator: any ProgramEvaluator) { self.evaluator = evaluator }

    func evaluate(_ program: StreamProgram, on inputs: [ProgramInput]) -> [ProgramResult] {
        defer { StreamTurn.current?.noteProgram(ofBatch: inputs.count > 1) }
        return evaluator.evaluate(program, on: inputs)
    }

    func isOperatorText(_ message: String, of program: StreamProgram) -> Bool {
        evaluator.isOperatorText(message, of: program)
    }
}
