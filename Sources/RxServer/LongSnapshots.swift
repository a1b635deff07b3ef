internal import RxHost

/// The texts of the states of reactors that are too long to be written on the loop.
struct LongSnapshots: Sendable {
    private struct Text {
        let revision: UInt64
        let bytes: [UInt8]
    }

    private let reactors: [HostedReactor]
    /// By the place of the reactor.
    private var texts: [Int: Text] = [:]

    /// - Parameter sources: reactors.
    init(of sources: [Hosted]) {
        reactors = sources.compactMap { $0 as? HostedReactor }
    }

    /// Whether there is a reactor with a long state of which there is no text. On the loop.
    var areMissing: Bool {
        reactors.enumerated().contains { place, reactor in
            let now = reactor.now
            return texts[place]?.revision != now.revision && StateTexts.isLong(now)
        }
    }

    /// About how long the texts of the long states are together. Any thread; it takes as long as the states are.
    func length(by stateTexts: StateTexts) -> Int {
        reactors.reduce(0) { sum, reactor in
            let now = reactor.now
            return sum + (StateTexts.isLong(now) ? stateTexts.length(of: now, of: reactor) : 0)
        }
    }

    /// The bytes of the texts.
    var bytes: Int { texts.values.reduce(0) { $0 + $1.bytes.count } }

    /// With the texts of the present states, where those are long. Any thread; it takes as long as the states are.
    func written(to stateTexts: StateTexts) -> LongSnapshots {
        var written = self
        for (place, reactor) in reactors.enumerated() {
            let now = reactor.now
            guard texts[place]?.revision != now.revision, StateTexts.isLong(now) else { continue }
            written.texts[place] = Text(revision: now.revision, bytes: stateTexts.text(of: now, of: reactor))
        }
        return written
    }

    /// Without the texts.
    var withoutTexts: LongSnapshots {
        var without = self
        without.texts = [:]
        return without
    }

    /// The texts of the levels in `opening`, by their places.
    func texts(for opening: EventOpening) -> [Int: [UInt8]] {
        var found: [Int: [UInt8]] = [:]
        for (place, levels) in opening.levels.enumerated() {
            guard case .reactor(let levels) = levels, let text = texts[place], text.revision == levels.revision else {
                continue
            }
            found[place] = text.bytes
        }
        return found
    }
}
