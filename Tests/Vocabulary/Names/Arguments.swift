/// The arguments of a call, read from the source text after its opening parenthesis.
struct Arguments {
    /// The number of arguments without a label.
    private(set) var unlabelled = 0

    init(_ text: some Sequence<UInt8>) {
        var depth = 0
        var isText = false
        var isEscaped = false
        var isLabelled = false
        var isEmpty = true
        func count() -> Int { isEmpty || isLabelled ? 0 : 1 }
        for byte in text {
            let character = Character(UnicodeScalar(byte))
            if isText {
                (isText, isEscaped) = (character != "\"" || isEscaped, character == "\\" && !isEscaped)
                continue
            }
            switch character {
            case "\"": isText = true
            case "(", "[", "{": depth += 1
            case ")" where depth == 0:
                unlabelled += count()
                return
            case ")", "]", "}": depth -= 1
            case "," where depth == 0:
                unlabelled += count()
                (isLabelled, isEmpty) = (false, true)
                continue
            case ":" where depth == 0: isLabelled = true
            default: break
            }
            if !character.isWhitespace { isEmpty = false }
        }
    }
}
