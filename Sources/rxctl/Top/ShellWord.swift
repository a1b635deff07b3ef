/// A word of a command line as it is typed in a shell.
enum ShellWord {
    /// The word, in quotes if the shell would change it otherwise.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "+"),
                UInt8(ascii: "@"), UInt8(ascii: "%"), 0x80...0xFF:
                true
            default: false
            }
        }
        return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    /// `rxctl WORDS`
    static func command(_ words: [String]) -> String { (["rxctl"] + words.map(quoted)).joined(separator: " ") }
}
