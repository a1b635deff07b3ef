/// Numbers and durations as people read them.
enum Figures {
    /// A rate: `0`, `0.3`, `12`, `1.2k`, `3M` per minute.
    static func perMinute(_ rate: Double) -> String { "\(short(rate))/min" }

    /// At most four characters and a sign: `0.3`, `999`, `1.2k`, `34M`.
    static func short(_ number: Double) -> String {
        guard number.isFinite else { return "?" }
        var rest = number
        for unit in ["", "k", "M", "G"] {
            let tenths = (rest * 10).rounded()
            if abs(tenths) < 100 && tenths.truncatingRemainder(dividingBy: 10) != 0 {
                return "\(Int(tenths) / 10).\(abs(Int(tenths)) % 10)\(unit)"
            }
            if abs(rest) < 999.5 { return "\(Int(rest.rounded()))\(unit)" }
            rest /= 1000
        }
        return "\(Int(min(rest, 1e9).rounded()))T"
    }

    /// A duration in its two largest units: `350ms`, `2.5s`, `3m10s`, `2h`, `4d3h`.
    static func duration(_ milliseconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        if milliseconds < 1000 { return "\(milliseconds)ms" }
        if milliseconds < 10_000 {
            let tenth = milliseconds % 1000 / 100
            return tenth == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds / 1000).\(tenth)s"
        }
        for (place, (size, unit)) in units.enumerated() where milliseconds >= size {
            guard place + 1 < units.count else { return "\(milliseconds / size)\(unit)" }
            let rest = milliseconds % size / units[place + 1].0
            return "\(milliseconds / size)\(unit)" + (rest == 0 ? "" : "\(rest)\(units[place + 1].1)")
        }
        return "\(milliseconds)ms"
    }
}
