internal import RxJSON

/// What comes of one line of the input, in this order: elements, or the acceptance; then one end.
enum LineResult {
    case element(RawJSON, execution: String)
    /// Elements were lost on the way: their number, nil if it is unknown.
    case lost(Int?, execution: String)
    /// A detached execution was accepted; the daemon's reply.
    case accepted(RawJSON)
    /// Nil if the daemon accepted nothing.
    case end(Ending, execution: String?)

    /// Approximate bytes of memory.
    var cost: Int {
        switch self {
        case .element(let value, _), .accepted(let value): LineResult.ownCost + value.utf8.count
        case .lost, .end: LineResult.ownCost
        }
    }

    private static let ownCost = 128
}

/// The execution of one line.
protocol ExecutedLine: AnyObject {
    /// The key of the request that was sent last; nil without one.
    var key: String? { get }

    func start()
    /// Ctrl-C: ends it, or sends it no more.
    func withdraw()
}
