internal import RxHost
internal import RxJSON
internal import RxRecords

/// A state as it is sent as a whole: states are large, and most readers need a patch or only the newest.
///
/// A short one is encoded when it is first written, once for all subscriptions. The text of a long one is that of
/// `StateTexts`, which `LongStates` requests.
final class WholeLevel {
    /// The text of a state, which other connections may send too, and what follows it in the event.
    struct Ending {
        let text: [UInt8]
        let rest: [UInt8]

        var count: Int { text.count + rest.count }
    }

    /// Writes the tail of the event with this cursor, and the state in it as the closure does.
    typealias Encode = (_ cursor: UInt64, (inout JSONWriter) -> Void) -> [UInt8]

    let levels: ReactorLevels
    let reactor: HostedReactor
    /// What follows the event's own tail; nil as long as the state has no text.
    let ending: Ending?
    private let cursor: UInt64
    private let encode: Encode
    /// The tail of the event, encoded now unless it is.
    private(set) lazy var tail = encode(cursor) { levels.state.write(to: &$0) }

    convenience init(
        _ levels: ReactorLevels, of reactor: HostedReactor, cursor: UInt64, _ encode: @escaping Encode
    ) {
        self.init(levels, of: reactor, cursor: cursor, ending: nil, encode)
    }

    private init(
        _ levels: ReactorLevels, of reactor: HostedReactor, cursor: UInt64, ending: Ending?, _ encode: @escaping Encode
    ) {
        self.levels = levels
        self.reactor = reactor
        self.cursor = cursor
        self.ending = ending
        self.encode = encode
    }

    /// The tail of the event up to the text of the state, and the same level with that text.
    func made(of text: [UInt8], cursor: UInt64) -> (tail: [UInt8], level: WholeLevel) {
        let split = SplitText([text]) { $0.bytes = encode(cursor) { $0.raw(SplitText.placeholder) } }
        let ending = Ending(text: text, rest: split.frame[1])
        return (split.frame[0], WholeLevel(levels, of: reactor, cursor: cursor, ending: ending, encode))
    }
}
