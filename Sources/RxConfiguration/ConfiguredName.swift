/// The names of actions, reactors, streams, and tests.
enum ConfiguredName {
    /// The most bytes: names are file names, journal fields, and command line arguments.
    static let longest = 64

    /// What is wrong with an invalid name, for a message.
    static let rule = "must be 1 to \(longest) of the characters A-Z a-z 0-9 _ . -"

    static func isValid(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { isBareKeyByte($0) || $0 == UInt8(ascii: ".") }
    }
}
