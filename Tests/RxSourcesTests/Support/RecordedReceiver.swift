import Rx
import RxJSON
import RxStreams

/// Keeps what a source reports.
final class RecordedReceiver: SourceReceiver {
    private struct State {
        var elements: [SourceElement] = []
        var batches: [Int] = []
        var waiting: [String?] = []
        var errors: [String] = []
        var lost = 0
    }

    private let state = Locked(State())

    var elements: [SourceElement] { state.withLock { $0.elements } }
    /// The values of the elements.
    var values: [String] { elements.map(\.value.text) }
    /// The numbers of elements received together.
    var batches: [Int] { state.withLock { $0.batches } }
    /// The reasons reported so far; nil for the end of a wait.
    var waiting: [String?] { state.withLock { $0.waiting } }
    var errors: [String] { state.withLock { $0.errors } }
    var lost: Int { state.withLock { $0.lost } }

    func receive(_ elements: [SourceElement]) {
        state.withLock {
            $0.elements += elements
            $0.batches.append(elements.count)
        }
    }

    func report(waiting reason: String?) { state.withLock { $0.waiting.append(reason) } }
    func report(error message: String, element: RawJSON?) {
        state.withLock { $0.errors.append(message + (element.map { ": \($0)" } ?? "")) }
    }
    func report(lost count: Int?) { state.withLock { $0.lost += count ?? 0 } }
    func finish() {}
}
