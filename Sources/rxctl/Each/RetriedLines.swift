/// Inputs of earlier executions.
final class RetriedLines: LineSource {
    var onMore: () -> Void = {}
    let count: Int?
    private var rest: ArraySlice<EachLine>

    init(_ lines: [EachLine]) {
        rest = lines[...]
        count = lines.count
    }

    func next() -> LineSourceResult { rest.popFirst().map { .line($0) } ?? .end }

    func readMore() {}

    func stop() { rest = [] }
}
