internal import Glibc
internal import RxProtocol

/// The lines of stdin, each of which is an input.
final class StdinLines: LineSource {
    private let lines: InputLines
    private let keepsText: Bool

    /// - Parameter keepsText: whether lines are printed.
    init(watch: @escaping InputLines.Watcher, keepsText: Bool) {
        lines = InputLines(limit: Limits().lineBytes, watch: watch)
        self.keepsText = keepsText
    }

    var onMore: () -> Void {
        get { lines.onMore }
        set { lines.onMore = newValue }
    }

    var count: Int? { InputLines.count(in: STDIN_FILENO) }

    func next() -> LineSourceResult {
        switch lines.next() {
        case .line(let bytes, let number):
            .line(EachLine(number, bytes, keepsText: keepsText))
        case .tooLong(let number):
            .line(
                EachLine(
                    number,
                    fault: .inputRefused("longer than \(Limits().lineBytes) bytes, the limit of a request")))
        case .none: .none
        case .end: .end
        case .failed(let errno): .failed(errno: errno)
        }
    }

    func readMore() { lines.readMore() }

    func stop() { lines.stop() }
}
