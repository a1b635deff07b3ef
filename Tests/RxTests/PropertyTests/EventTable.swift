/// What the property tests compare: lists of events with their virtual times.
enum Signal: Hashable, Sendable {
    case next(Int)
    case error
    case completed

    var isEnd: Bool {
        switch self {
        case .next: false
        case .error, .completed: true
        }
    }
}

struct Timed: Hashable, Sendable, CustomStringConvertible {
    var time: Int
    var signal: Signal

    init(_ time: Int, _ signal: Signal) {
        self.time = time
        self.signal = signal
    }

    var description: String {
        switch signal {
        case .next(let element): "\(time):\(element)"
        case .error: "\(time):x"
        case .completed: "\(time):|"
        }
    }
}

extension [Timed] {
    /// As `(210:1 250:|)`.
    var table: String { "(\(map(\.description).joined(separator: " ")))" }
}

/// When a source was subscribed, and until when.
struct Span: Hashable, Sendable, CustomStringConvertible {
    var from: Int
    var to: Int

    var description: String { "\(from)-\(to)" }
}

/// The same numbers on every machine from the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
