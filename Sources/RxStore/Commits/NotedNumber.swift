internal import RxPlatform

/// A number in a mapped file: two words, which are the number and its complement, or two zeros for none.
struct NotedNumber {
    static let words = 2

    enum Content {
        case none
        case number(UInt64)
        /// The words do not fit: a kill came between the two, or something else was written there.
        case torn
    }

    /// Keeps the memory.
    private let mapping: FileMapping
    private let words: UnsafeMutableBufferPointer<UInt64>

    /// - Parameter index: the word at which it begins.
    init(_ mapping: FileMapping, at index: Int) {
        self.mapping = mapping
        words = UnsafeMutableBufferPointer(
            rebasing: mapping.bytes.bindMemory(to: UInt64.self)[index..<(index + Self.words)])
    }

    var content: Content {
        if words[0] == 0, words[1] == 0 { return .none }
        return words[0] == ~words[1] ? .number(words[0]) : .torn
    }

    var isTorn: Bool { if case .torn = content { true } else { false } }

    /// How many of the words are not zero.
    var wordsUsed: Int { words.count { $0 != 0 } }

    /// Replaces the number; nil for none.
    func set(_ number: UInt64?) {
        words[0] = number ?? 0
        words[1] = number.map { ~$0 } ?? 0
    }
}
