internal import RxJSON

/// One input of a run: a line of stdin, or the input of an earlier execution.
struct EachLine {
    /// Its place in the run, and in the input as an editor counts its lines; from 1.
    let number: Int
    let place: LinePlace
    /// The input as compact JSON, or why there is none.
    let input: Result<RawJSON, Ending>
    /// Recognizes the input in another run: of its compact form, so that white space does not count.
    let hash: String
    /// The line without the white space around it; empty unless it is printed.
    let text: String
    /// Begins the key of the line's request; nil if the run has one for all lines.
    let key: String?

    init(_ number: Int, _ bytes: ArraySlice<UInt8>, keepsText: Bool) {
        self.number = number
        place = .line(number)
        key = nil
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
        place = .line(number)
        input = .failure(fault)
        hash = BatchHash().text
        text = ""
        key = nil
    }

    /// The input of an earlier execution.
    ///
    /// - Parameters:
    ///   - input: as the daemon has kept it; nil if it was too large.
    ///   - execution: the id.
    init(_ number: Int, retrying input: RawJSON?, of execution: String, key: String? = nil) {
        self.number = number
        self.key = key
        place = .retry(of: execution)
        hash = BatchHash().text
        text = input?.text ?? ""
        switch input {
        case nil: self.input = .failure(.inputNotKept("was too large to keep", execution))
        case let input? where input.text.contains(JSONSchema.redacted):
            self.input = .failure(.inputNotKept("has secrets, which are not kept", execution))
        case let input?: self.input = .success(input)
        }
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

extension Ending {
    fileprivate static func inputNotKept(_ reason: String, _ execution: String) -> Ending {
        Ending(
            outcome: .inputRefused,
            message: .text("its input \(reason); execute the action with that input"),
            facts: ["name": "inputNotKept", "execution": .string(execution)])
    }
}
