/// Turns the bytes of a terminal into keys.
///
/// A sequence may come in parts, so its beginning is kept. An escape alone is a key as well as the beginning of others:
/// call ``flush()`` when nothing has followed for a moment (``patience``).
public struct KeyDecoder: Sendable {
    /// How long to wait for what follows an escape. A terminal sends a sequence at once; a person is slower.
    public static let patience = Duration.milliseconds(30)
    /// The longest sequence that a terminal sends; a longer one is dropped.
    private static let longest = 32
    /// The most bytes of a pasted text; the rest is dropped.
    private static let longestPaste = 16_384
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var pending: [UInt8] = []
    /// A text that is being pasted; nil between texts.
    private var pasted: [UInt8]?

    /// A decoder that has read nothing.
    public init() {}

    /// Whether the beginning of a key waits for the rest.
    public var isWaiting: Bool { pasted == nil && !pending.isEmpty }

    /// The keys that these bytes complete. Sequences that name no key of ``Key`` are left out.
    public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while !pending.isEmpty {
            if pasted != nil {
                guard let text = paste() else { break }
                keys.append(.paste(text))
                continue
            }
            guard let (key, length) = next() else { break }
            pending.removeFirst(length)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Moves what has come of a pasted text out of `pending`.
    ///
    /// - Returns: the text, if its end has come.
    private mutating func paste() -> String? {
        let end = pending.firstRange(of: Self.pasteEnd)
        // The end may have come in part.
        let count = end?.lowerBound ?? max(0, pending.count - Self.pasteEnd.count + 1)
        let room = Self.longestPaste - (pasted?.count ?? 0)
        pasted? += pending[..<min(count, room)]
        pending.removeFirst(end?.upperBound ?? count)
        guard end != nil, let bytes = pasted else { return nil }
        pasted = nil
        let isSpace: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D].contains($0) }
        let line = bytes.map { isSpace($0) ? 0x20 : $0 }.filter { $0 >= 0x20 && $0 != 0x7F }
        return String(decoding: line, as: UTF8.self)
    }

    /// What has come is all: the key for an escape alone.
    public mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { pending = [] }
        return pending.first == 0x1B ? [.escape] : []
    }

    /// The first key and the number of its bytes; nil if more bytes are needed.
    private mutating func next() -> (key: Key?, length: Int)? {
        switch pending[0] {
        case 0x1B: return sequence()
        case 0x0D, 0x0A: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x7F, 0x08: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(pending[0] + 0x60))), 1)
        case 0x20...0x7E: return (.character(Character(Unicode.Scalar(pending[0]))), 1)
        case 0xC2...0xF4: return scalar()
        default: return (nil, 1)
        }
    }

    /// A character beyond ASCII, in UTF-8.
    private func scalar() -> (key: Key?, length: Int)? {
        let length = pending[0] < 0xE0 ? 2 : pending[0] < 0xF0 ? 3 : 4
        guard pending.count >= length else {
            return pending.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 } ? nil : (nil, 1)
        }
        guard let text = String(validating: pending[..<length], as: UTF8.self), let character = text.first else {
            return (nil, 1)
        }
        return (.character(character), length)
    }

    /// What begins with an escape: `ESC [ 1 ; 5 A`, `ESC O A`, or the key itself.
    private mutating func sequence() -> (key: Key?, length: Int)? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            let isSingle = pending[1] == UInt8(ascii: "O")
            guard let end = pending[2...].firstIndex(where: { isSingle || (0x40...0x7E).contains($0) }) else {
                return pending.count < Self.longest ? nil : (nil, pending.count)
            }
            let parameter = String(decoding: pending[2..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            if pending[end] == UInt8(ascii: "~"), parameter == "200" {
                pasted = []
                return (nil, end + 1)
            }
            let isEnter = isSingle && pending[end] == UInt8(ascii: "M")
            return (isEnter ? .enter : Self.key(pending[end], parameter), end + 1)
        default:
            // Alt sends an escape before the key, and so does a person who is fast.
            return (.escape, 1)
        }
    }

    private static func key(_ final: UInt8, _ parameter: String) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .backTab
        case UInt8(ascii: "~"):
            switch parameter {
            case "1", "7": .home
            case "4", "8": .end
            case "3": .delete
            case "5": .pageUp
            case "6": .pageDown
            default: nil
            }
        default: nil
        }
    }
}
