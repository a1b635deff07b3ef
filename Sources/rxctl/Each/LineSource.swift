/// Where the lines of a run come from, one after the other, as they are needed.
protocol LineSource: AnyObject {
    /// Called after `readMore` when `next` has a new result.
    var onMore: () -> Void { get set }
    /// How many lines there are; nil if that is not known.
    var count: Int? { get }

    func next() -> LineSourceResult
    /// Reads on, then calls `onMore`.
    func readMore()
    /// No more lines are needed.
    func stop()
}

enum LineSourceResult {
    case line(EachLine)
    /// No line is there yet.
    case none
    case end
    case failed(errno: Int32)
}
