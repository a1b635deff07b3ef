internal import RxJSON

/// One line of the input of `execute --each`.
struct EachLine {
    /// As an editor counts it, from 1.
    let number: Int
    /// The input as compact JSON, or why there is none.
    let input: Result<RawJSON, Ending>
    /// Recognizes the input in another run: of its compact form, so that white space does not count.
    let hash: String
    /// The line without the white space around it; empty unless it is printed.
    let text: String

    init(_ number: Int, _ bytes: ArraySlice<UInt8>, keepsText: Bool) {
        self.number = number
        let input: Result<RawJSON, Ending> = Result { () throws(Ending) in try Input.json(line: bytes) }
        var hash = BatchHash()
        switch input {
        case .success(let value): for byte in value.utf8 { hash.add(byte) }
        case .failure: for byte in bytes { hash.add(byte) }
        }
        self.input = input
        self.hash = hash.text
        text = keepsText ? EachLine.trimmed(bytes) : ""
    }

    /// A line that is no input.
    init(_ number: Int, fault: Ending) {
        self.number = number
        input = .failure(fault)
        hash = BatchHash().text
        text = ""
    }

    /// Approximate bytes of memory.
    var cost: Int { text.utf8.count + ((try? input.get())?.utf8.count ?? 0) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
