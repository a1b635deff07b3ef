/// The keys under which the daemon recognizes a line that it has accepted before.
///
/// A key that rxctl makes has the run, the line's number, the hash of its input, and the number of times that the line
/// has ended already: a repetition after a lost answer has the same key, and the next try of a line that has failed has
/// another one.
final class LineKeys {
    enum Source {
        /// `--key K`: line N has the key K-N.
        case given(String)
        /// The job log's id: all runs with the same job log have the same keys.
        case job(String)
    }

    private let source: Source?
    /// The id of this run, if it has neither.
    private let run = LineKeys.makeID()
    private var isGivenUp = false

    /// - Parameter source: nil for keys of this run alone.
    init(_ source: Source?) { self.source = source }

    /// An id that no other run or job log has.
    static func makeID() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// - Parameter tries: how often the line has ended before.
    /// - Returns: nil after `giveUp`.
    func key(of line: EachLine, tries: Int) -> String? {
        switch source {
        case .given(let key): "\(key)-\(line.number)"
        case .job(let id): "each-\(id)-\(line.number)-\(line.hash)-\(tries)"
        case nil: isGivenUp ? nil : "\(line.key ?? "each-\(run)-\(line.number)-\(line.hash)")-\(tries)"
        }
    }

    /// The key of a line that is not followed: only one that recognizes it in another run, too.
    func detachedKey(of line: EachLine) -> String? {
        if case nil = source, line.key == nil { nil } else { key(of: line, tries: 0) }
    }

    /// Whether another try of a line gets another key.
    var areMade: Bool {
        if case .given? = source { false } else { true }
    }

    /// The daemon has reached its limit of keys: goes on without them, unless they are promised.
    ///
    /// - Returns: whether that makes a difference.
    func giveUp() -> Bool {
        guard source == nil, !isGivenUp else { return false }
        isGivenUp = true
        return true
    }
}
