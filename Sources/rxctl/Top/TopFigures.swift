/// Figures in few cells.
enum TopFigures {
    /// A duration: `<1ms`, `350ms`, `2.5s`, `42s`, `3m10s`, `2h05m`, `4d3h`; at most 6 cells.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        switch milliseconds {
        case ..<1: return "<1ms"
        case ..<1000: return "\(milliseconds)ms"
        case ..<10_000: return "\(seconds).\(milliseconds % 1000 / 100)s"
        case ..<60_000: return "\(seconds)s"
        case ..<3_600_000: return "\(seconds / 60)m\(two(seconds % 60))s"
        case ..<86_400_000: return "\(seconds / 3600)h\(two(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d\(seconds / 3600 % 24)h"
        }
    }

    /// How long until a time: `now`, `5s`, `3m10s`.
    static func until(_ time: Int64, from now: Int64) -> String {
        time - now < 1000 ? "now" : duration((time - now) / 1000 * 1000).replacing(".0s", with: "s")
    }

    /// A count in at most 4 cells: `999`, `12k`, `3M`.
    static func count(_ count: Int) -> String {
        switch count {
        case ..<10_000: "\(count)"
        case ..<1_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000)M"
        }
    }

    /// `24.3 MiB`
    static func bytes(_ bytes: Int) -> String {
        let (mebi, tenth) = (bytes >> 20, ((bytes & 0xFFFFF) * 10) >> 20)
        return mebi < 1024 ? "\(mebi).\(tenth) MiB" : "\(mebi >> 10).\(((mebi & 1023) * 10) >> 10) GiB"
    }

    /// A share of one processor: `0.4%`, `12%`.
    static func share(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)%" : "\((tenths + 5) / 10)%"
    }

    /// The time of day, `12:03:11`.
    ///
    /// - Parameter offset: the seconds that local time is ahead of UTC.
    static func clock(_ time: Int64, offset: Int) -> String {
        let second = ((time / 1000 + Int64(offset)) % 86_400 + 86_400) % 86_400
        return "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
