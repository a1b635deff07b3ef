// Durations on the wire and in TOML are text: "500ms", "10s", "1h30m".

/// The units of a duration, longest first, which is also their required order.
private let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
]

/// The longest duration that a text may state: a hundred years. Far beyond any use, and deadlines computed from it do
/// not overflow.
private let longestMilliseconds: Int64 = 36_525 * 86_400_000

extension Duration {
    /// Parses a duration: one or more whole numbers with a unit (`d`, `h`, `m`, `s`, `ms`), longest unit first, each at
    /// most once: "500ms", "1h30m". No sign, no fraction, no spaces; at most a hundred years. Returns nil for any other
    /// text.
    public init?(rxText text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        var total: Int64 = 0
        var remaining = units[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            rest = rest.dropFirst(letters.count)
            guard let number = Int64(String(decoding: digits, as: UTF8.self)),
                let index = remaining.firstIndex(where: { $0.name.utf8.elementsEqual(letters) })
            else { return nil }
            let (part, overflow) = number.multipliedReportingOverflow(by: units[index].milliseconds)
            guard !overflow, part <= longestMilliseconds - total else { return nil }
            total += part
            remaining = remaining[(index + 1)...]
        }
        self = .milliseconds(total)
    }

    /// The shortest text that `init(rxText:)` parses as this duration. Drops fractions of a millisecond; a negative
    /// duration is "0s".
    public var rxText: String {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return "0s" }
        let longestSeconds = longestMilliseconds / 1000
        var rest = min(seconds, longestSeconds) * 1000
        if seconds < longestSeconds { rest += attoseconds / 1_000_000_000_000_000 }
        var text = ""
        for unit in units where rest >= unit.milliseconds {
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }
}
